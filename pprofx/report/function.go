package report

import (
	"cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// Function is the samples of a function: those in which it is the JavaScript function nearest to the leaf, so that what
// V8, Node and the kernel do for it counts as its own, and all that have it in their stack.
type Function struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // with most own samples; 0 if unknown
	Own     int64  `json:"own"`
	Total   int64  `json:"total"`
	Classes Counts `json:"classes"` // of the own samples
}

// place tells functions apart. Those that have no file differ by the file that holds their code.
type place struct {
	name, file string
	line       int // only where lines are told apart
}

func placeOf(f *pprofx.Frame) place { return place{name: f.Function, file: cmp.Or(f.File, f.Module)} }

// noStack is the function of samples without a frame.
var noStack = &pprofx.Frame{Function: "[no stack]"}

// functions adds samples up by function.
type functions struct {
	by     map[place]*function
	byLine bool
}

func newFunctions() functions { return functions{by: map[place]*function{}} }

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

// ownIndex returns the index of the frame to which a sample belongs: the JavaScript nearest to the leaf, else the leaf.
func ownIndex(s *pprofx.Snapshot, stack []int32) int {
	for i, f := range stack {
		if s.Frames[f].Kind == pprofx.JS {
			return i
		}
	}
	return 0
}

// uses returns the functions of a stack, each once.
func (all *functions) uses(s *pprofx.Snapshot, stack []int32) []use {
	own := ownIndex(s, stack)
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
		out = []use{{function: all.of(noStack), own: true}}
	}
	return out
}

func (all *functions) of(f *pprofx.Frame) *function {
	key := placeOf(f)
	if all.byLine {
		key.line = f.Line
	}
	known := all.by[key]
	if known == nil {
		known = &function{Function: Function{Name: key.name, File: key.file}, lines: map[int]int64{}}
		all.by[key] = known
	}
	return known
}

// count adds what a sample stands for to the functions of its stack.
func count(stack []use, class Class, n int64) {
	for _, u := range stack {
		u.Total += n
		if u.own {
			u.Own += n
			u.Classes[class] += n
			u.lines[u.line] += n
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
func (all *functions) sorted() []Function {
	var out []*Function
	for key, f := range all.by {
		f.Line = cmp.Or(key.line, f.hottest())
		out = append(out, &f.Function)
	}
	return inOrder(out, (*Function).compare)
}

// compare orders by own samples, then by all, the greatest first.
func (f *Function) compare(g *Function) int {
	return cmp.Or(cmp.Compare(g.Own, f.Own), cmp.Compare(g.Total, f.Total), cmp.Compare(f.Name, g.Name),
		cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line))
}
