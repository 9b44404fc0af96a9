package report

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// place tells functions apart. Those that have no file differ by the file that holds their code.
type place struct{ name, file string }

// functions adds samples up by function.
type functions map[place]*function

type function struct {
	Function
	lines map[int]int64 // own samples
}

// use is a function in a stack. One of a stack is own.
type use struct {
	*function
	own  bool
	line int // of the frame that is own
}

// uses returns the functions of a stack, each once.
func (all functions) uses(s *pprofx.Snapshot, stack []int32) []use {
	own := 0
	for i, f := range stack {
		if s.Frames[f].Kind == pprofx.JS {
			own = i
			break
		}
	}
	var out []use
	seen := map[*function]int{}
	for i, index := range stack {
		f := all.of(s.Frames[index])
		at, ok := seen[f]
		if !ok {
			at = len(out)
			seen[f] = at
			out = append(out, use{function: f})
		}
		if i == own {
			out[at].own, out[at].line = true, s.Frames[index].Line
		}
	}
	if out == nil {
		out = []use{{function: all.of(&pprofx.Frame{Function: "[no stack]"}), own: true}}
	}
	return out
}

func (all functions) of(f *pprofx.Frame) *function {
	key := place{f.Function, cmp.Or(f.File, f.Module)}
	known := all[key]
	if known == nil {
		known = &function{Function: Function{Name: key.name, File: key.file}, lines: map[int]int64{}}
		all[key] = known
	}
	return known
}

// count adds a sample to the functions of its stack.
func count(stack []use, class Class) {
	for _, u := range stack {
		u.Total++
		if u.own {
			u.Own++
			u.Classes[class]++
			u.lines[u.line]++
		}
	}
}

// hottest returns the line with most own samples, the first of equal ones.
func (f *function) hottest() (line int) {
	var most int64
	for at, n := range f.lines {
		if at > 0 && (n > most || n == most && at < line) {
			line, most = at, n
		}
	}
	return line
}

// sorted returns the functions, the greatest first.
func (all functions) sorted() (out []Function) {
	for _, f := range all {
		f.Line = f.hottest()
		out = append(out, f.Function)
	}
	slices.SortFunc(out, Function.compare)
	return out
}

// compare orders by own samples, then by all, the greatest first.
func (f Function) compare(g Function) int {
	return cmp.Or(cmp.Compare(g.Own, f.Own), cmp.Compare(g.Total, f.Total), cmp.Compare(f.Name, g.Name),
		cmp.Compare(f.File, g.File))
}
