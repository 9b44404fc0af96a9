package report

import (
	"cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// Function is the samples of a function: those in which it is the function of JavaScript or WebAssembly nearest to the
// leaf, so that what V8, Node and the kernel do for it counts as its own, and all that have it in their stack.
type Function struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // with most own samples; 0 if unknown
	Own     int64  `json:"own"`
	Total   int64  `json:"total"`
	Classes Counts `json:"classes"`        // of the own samples
	From    *Place `json:"from,omitempty"` // application's call that most own samples of Node's, or a package's, are in
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
	stacks int64 // how many were added
}

func newFunctions() functions { return functions{by: map[place]*function{}} }

type function struct {
	Function
	owner owner
	lines map[int]int64   // own samples
	from  map[place]int64 // own samples, by the call that is nearest to it of one of another owner
	stack int64           // the number of the last stack that it was found in
}

// maxFrom bounds the calls that are kept of a function.
const maxFrom = 256

// addFrom notes that own samples are in a call.
func (f *function) addFrom(call *pprofx.Frame, n int64) {
	key := placeOf(call)
	key.line = call.Line
	if _, known := f.from[key]; !known && len(f.from) == maxFrom {
		return
	}
	if f.from == nil {
		f.from = map[place]int64{}
	}
	f.from[key] += n
}

// mostFrom returns the call with most own samples, the first of equal ones; nil if there is none.
func (f *function) mostFrom() (most *Place) {
	for at, n := range f.from {
		p := Place{Name: at.name, File: at.file, Line: at.line, Samples: n}
		if most == nil || p.compare(*most) < 0 {
			most = &p
		}
	}
	return most
}

// ownIndex returns the index of the frame to which a sample belongs: the JavaScript or WebAssembly nearest to the leaf,
// else the leaf.
func ownIndex(s *pprofx.Snapshot, stack []int32) int {
	for i, f := range stack {
		if kind := s.Frames[f].Kind; kind == pprofx.JS || kind == pprofx.Wasm {
			return i
		}
	}
	return 0
}

// add adds the samples of a stack up, and returns the function to which they belong, with the line. known holds the
// functions of the snapshot's frames as far as they were seen; nil if it is not worth while.
func (all *functions) add(s *pprofx.Snapshot, stack []int32, n *Counts, known []*function) (own *function, line int) {
	all.stacks++
	total, at := n.sum(), ownIndex(s, stack)
	var from *pprofx.Frame
	var of owner
	for i, index := range stack {
		f := all.ofFrame(s, index, known)
		if f.stack != all.stacks {
			f.stack = all.stacks
			f.Total += total
		}
		if i == at {
			own, line, of = f, s.Frames[index].Line, f.owner
		} else if i > at && f.owner > of {
			from, of = s.Frames[index], f.owner
		}
	}
	if own == nil {
		own = all.of(noStack)
		own.Total += total
	}
	own.Own += total
	own.lines[line] += total
	own.Classes.add(n)
	if from != nil {
		own.addFrom(from, total)
	}
	return own, line
}

// ofFrame returns the function of a frame of a snapshot.
func (all *functions) ofFrame(s *pprofx.Snapshot, frame int32, known []*function) *function {
	if known == nil {
		return all.of(s.Frames[frame])
	}
	if known[frame] == nil {
		known[frame] = all.of(s.Frames[frame])
	}
	return known[frame]
}

func (all *functions) of(f *pprofx.Frame) *function {
	key := placeOf(f)
	if all.byLine {
		key.line = f.Line
	}
	known := all.by[key]
	if known == nil {
		known = &function{Function: Function{Name: key.name, File: key.file}, owner: ownerOf(f), lines: map[int]int64{}}
		all.by[key] = known
	}
	return known
}

func (f *function) compare(g *function) int { return f.Function.compare(&g.Function) }

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
		f.Line, f.From = cmp.Or(key.line, f.hottest()), f.mostFrom()
		out = append(out, &f.Function)
	}
	return inOrder(out, (*Function).compare)
}

// compare orders by own samples, then by all, the greatest first.
func (f *Function) compare(g *Function) int {
	return cmp.Or(cmp.Compare(g.Own, f.Own), cmp.Compare(g.Total, f.Total), cmp.Compare(f.Name, g.Name),
		cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line))
}
