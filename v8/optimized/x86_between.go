package optimized

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/x86"
)

// Marks finds the marks in code whose instructions, without the deopt exits, are text, and begin at an address. Code
// that is too long, or does not decode, has none.
func (o *Tables) Marks(text []byte, start uint64) *Marks {
	if len(text) > maxMarked {
		return &Marks{}
	}
	transfers, err := x86.Transfers(text, start)
	if err != nil {
		return &Marks{}
	}
	var calls []mark
	for _, s := range o.sites {
		if s.pc <= len(text) {
			calls = append(calls, mark{from: s.pc - 1, to: s.pc, frames: s.frames})
		}
	}
	m := newMarks(o.Function, calls, transfers, o.exitFrames)
	m.tables = o
	return m
}

// At tells of the instruction at an offset of the code what it belongs to.
func (m *Marks) At(offset int) Gap { return m.at(offset, 0) }

// Inlines reports whether a call may be inlined in a gap. It need not have any mark of its own. b is the bytecode of
// the innermost of the gap's frames; nil: it is not known.
func (m *Marks) Inlines(g Gap, b *heap.Bytecode) bool {
	function := g.Frames[0].Function
	calls := m.tables.inlinedIn(function)
	if len(calls) == 0 || g.before == g.after {
		return false
	}
	if b == nil {
		return true
	}
	for i, p := range b.Positions {
		if i+1 < len(b.Positions) && b.Positions[i+1].Source == p.Source {
			continue // it loads what the next one calls
		}
		marked := m.inlined[Frame{Function: function, Offset: int(p.Code)}]
		if slices.Contains(calls, int(p.Source)) && g.passes(p, b.Positions, marked) {
			return true
		}
	}
	return false
}
