package optimized

import (
	"slices"
	"sort"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/x86"
)

// mark is a piece of machine code of which the deoptimisation data says what it belongs to: the last byte of a call, a
// jump to a deopt exit or to deferred code, or a return.
type mark struct {
	from, to int
	frames   []Frame // innermost first; nil = not known
	last     bool    // the function ends there
}

// block is deferred code. V8 makes each for one operation, puts it behind the code proper, and ends it with a trap.
// (src/maglev/maglev-code-generator.cc, EmitDeferredCode)
type block struct {
	from, to int
	marks    []mark
	sources  []int // of the jumps to it
}

// Marks are all of Maglev's code, in order.
type Marks struct {
	tables   *Tables
	proper   []mark
	deferred []block
	inlined  map[Frame]bool // calls that were inlined and have marks of their own
}

// maxMarked bounds the code that is looked through for marks.
const maxMarked = 256 << 10

// Limits of what hostile code can make of it: jumps to one deferred block, and marks that are compared for loops.
const (
	maxSources  = 16
	maxCompared = 1 << 20
)

// newMarks finds the marks in code, of which those are known that calls make.
func newMarks(own heap.Word, calls []mark, transfers []x86.Transfer,
	exit func(target int) ([]Frame, bool)) *Marks {
	m := &Marks{deferred: deferredOf(transfers), inlined: map[Frame]bool{}}
	entry := []Frame{{Function: own, Offset: -1}}
	m.proper = append(m.proper, mark{frames: entry})
	for _, c := range calls {
		m.add(c)
	}
	for _, t := range transfers {
		if frames, is := exit(t.Target); is {
			m.add(mark{from: t.From, to: t.To, frames: frames})
		}
		if t.Op == x86asm.RET {
			m.add(mark{from: t.From, to: t.To, frames: entry, last: true})
		}
	}
	for _, b := range slices.Backward(m.deferred) { // what is left from a block is behind it
		if g := b.whole(); g.Sure {
			for _, from := range b.sources {
				m.add(mark{from: from, to: from + 1, frames: g.Frames})
			}
		}
	}
	m.sort()
	m.placeReturns()
	m.closeLoops(transfers)
	return m
}

func (m *Marks) sort() {
	sort.SliceStable(m.proper, func(i, j int) bool { return m.proper[i].from < m.proper[j].from })
}

// deferredOf finds deferred blocks: what ends with a trap and is jumped to from elsewhere.
func deferredOf(transfers []x86.Transfer) []block {
	sources := map[int][]int{}
	for _, t := range transfers {
		if t.Target >= 0 {
			sources[t.Target] = append(sources[t.Target], t.From)
		}
	}
	var out []block
	from := 0
	for _, t := range transfers {
		if t.Op != x86asm.RET && t.Op != x86asm.INT {
			continue
		}
		b := block{from: from, to: t.To}
		for _, s := range sources[from] {
			if s < from || s >= t.To {
				b.sources = append(b.sources, s)
			}
		}
		if t.Op == x86asm.INT && len(b.sources) > 0 {
			out = append(out, b)
		}
		from = t.To
	}
	return out
}

func (m *Marks) block(at int) *block {
	i := sort.Search(len(m.deferred), func(i int) bool { return m.deferred[i].to > at })
	if i == len(m.deferred) || m.deferred[i].from > at {
		return nil
	}
	return &m.deferred[i]
}

func (m *Marks) add(x mark) {
	for _, caller := range x.frames[min(1, len(x.frames)):] {
		m.inlined[caller] = true
	}
	if b := m.block(x.from); b != nil {
		b.marks = append(b.marks, x)
		return
	}
	m.proper = append(m.proper, x)
}

// placeReturns gives the returns the place of the last mark in the code's own function.
func (m *Marks) placeReturns() {
	var last []Frame
	for i, x := range m.proper {
		if x.last {
			m.proper[i].frames = last
		} else if len(x.frames) == 1 {
			last = x.frames
		}
	}
}

// closeLoops adds the heads of loops and the jumps back to them. A check for interrupts is just before the jump, so
// that they belong to the mark before if all of the loop is in what that is in. (src/maglev/maglev-graph-builder.cc,
// VisitJumpLoop)
func (m *Marks) closeLoops(transfers []x86.Transfer) {
	var ends []mark
	left := maxCompared
	for _, t := range transfers {
		if t.Op != x86asm.JMP || t.Target < 0 || t.Target > t.From || m.block(t.From) != nil {
			continue
		}
		head, end := m.before(t.Target), m.before(t.From)
		if end < 0 {
			continue
		}
		if left -= end - head; left < 0 {
			m.proper = nil // without some loops nothing is sure
			return
		}
		frames := m.proper[end].frames
		inside := func(x mark) bool {
			outer, _ := common(frames, x.frames)
			return len(outer) == len(frames)
		}
		if !slices.ContainsFunc(m.proper[head+1:end+1], func(x mark) bool { return !inside(x) }) {
			ends = append(ends, mark{from: t.Target, to: t.Target, frames: frames},
				mark{from: t.From, to: t.To, frames: frames})
		}
	}
	m.proper = append(ends, m.proper...) // the head is before its first instruction
	m.sort()
}

// before is the index of the last mark that begins at an offset or before it; -1: there is none.
func (m *Marks) before(offset int) int {
	return sort.Search(len(m.proper), func(i int) bool { return m.proper[i].from > offset }) - 1
}

// whole is what is sure of all of a block.
func (b *block) whole() Gap {
	if len(b.marks) == 0 {
		return Gap{}
	}
	g := Gap{Frames: b.marks[0].frames, Sure: b.marks[0].frames != nil}
	for _, x := range b.marks[1:] {
		frames, same := common(g.Frames, x.frames)
		g = Gap{Frames: frames, Sure: g.Sure && same}
	}
	return g
}

// maxNested bounds how deep blocks are nested.
const maxNested = 4

// at tells of the instruction at an offset.
func (m *Marks) at(offset, nested int) Gap {
	if b := m.block(offset); b != nil {
		if len(b.marks) > 0 || nested == maxNested {
			return b.whole()
		}
		if len(b.sources) > maxSources {
			return Gap{}
		}
		g := m.at(b.sources[0], nested+1)
		for _, from := range b.sources[1:] {
			other := m.at(from, nested+1)
			frames, same := common(g.Frames, other.Frames)
			g.Frames, g.Sure = frames, g.Sure && other.Sure && same
			g.before, g.after = min(g.before, other.before), max(g.after, other.after)
		}
		return g
	}
	i := m.before(offset)
	if i < 0 {
		return Gap{}
	}
	last := m.proper[i]
	if offset < last.to {
		return Gap{Frames: last.frames, Sure: last.frames != nil}
	}
	if i+1 == len(m.proper) {
		return Gap{}
	}
	return last.until(m.proper[i+1])
}

// until is the gap between two marks.
func (x mark) until(next mark) Gap {
	frames, same := common(x.frames, next.frames)
	g := Gap{Frames: frames, Sure: same}
	if same {
		g.before, g.after = frames[0].Offset, next.frames[0].Offset
		if next.last {
			g.after = noEnd
		}
	}
	return g
}
