package functions

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// deoptFrames locates calls in Maglev's code. Many calls have no entry in its position table, and the entry before them
// may belong to a loop around the call; the deoptimisation data is exact. Code without a position table (Node 23, and
// 24 before 24.20) is located by that data everywhere. says is false where the data says nothing of a place. Where it
// does, only the data counts: the frames are nil if their functions are not known.
func (v *Resolver) deoptFrames(c *code, raw stack.RawFrame) (fs []*Frame, says bool) {
	var frames []optimized.Frame
	at := int(raw.PC - c.Start)
	if !raw.Exact {
		frames = c.optimized.DeoptFrames(at)
		at--
	}
	if frames == nil && c.tier == Maglev && len(c.optimized.Positions) == 0 && !c.optimized.InDeoptExits(at+1) {
		return v.framesBetween(c, at), true
	}
	if frames == nil {
		return nil, false
	}
	if fs = v.framesOf(frames, c.functions, c.tier); fs == nil {
		fs = v.framesByDeopt(c.optimized.FramesAtCall, c, raw)
	}
	return fs, true
}

// framesBetween locates an instruction in code without a position table. The line is that of the mark before. The
// functions count where those of the mark before and of the next one are the same and no call between was inlined. Else
// the innermost is not known, and only those around it count.
func (v *Resolver) framesBetween(c *code, at int) []*Frame {
	if c.marks == nil {
		c.marks = v.marksOf(c)
	}
	g := c.marks.at(at, 0)
	fs := v.framesOf(g.frames, c.functions, c.tier)
	if len(fs) == 0 || g.sure && !v.inlines(c, g) {
		return fs
	}
	fs[0].Line, fs[0].Column, fs[0].Lost = 0, 0, LostCode
	return append([]*Frame{goneFrame}, fs...)
}

// marksOf finds the marks in code. Code that cannot be read has none.
func (v *Resolver) marksOf(c *code) *marks {
	n := int(c.End - c.Start)
	if exits := c.optimized.DeoptExits(); exits > 0 {
		n = min(n, exits)
	}
	b, err := v.textAt(c, 0, n)
	if n > maxMarked || err != nil || !v.r.Same(c.Code) {
		return &marks{}
	}
	transfers, err := x86.Transfers(b, c.Start)
	if err != nil {
		return &marks{}
	}
	var calls []mark
	for pc, frames := range c.optimized.DeoptSites() {
		if pc <= n {
			calls = append(calls, mark{from: pc - 1, to: pc, frames: frames})
		}
	}
	return newMarks(c.optimized.Function, calls, transfers, c.optimized.ExitFrames)
}

// inlines reports whether a call may be inlined in a gap. It need not have any mark of its own.
func (v *Resolver) inlines(c *code, g gap) bool {
	function := g.frames[0].Function
	calls := c.optimized.InlinedIn(function)
	if len(calls) == 0 || g.before == g.after {
		return false
	}
	fn := c.functions[function]
	if fn.bytecode == nil {
		return true
	}
	positions := fn.bytecode.Positions
	for i, p := range positions {
		if i+1 < len(positions) && positions[i+1].Source == p.Source {
			continue // it loads what the next one calls
		}
		marked := c.marks.inlined[optimized.Frame{Function: function, Offset: int(p.Code)}]
		if slices.Contains(calls, int(p.Source)) && g.passes(p, positions, marked) {
			return true
		}
	}
	return false
}

// passes reports whether a call at a place in the bytecode may be inlined in a gap. Where that is from the end of a
// loop to its head, all of the loop is behind the jump back in the source, which has the place of the whole loop. The
// offset of an exit may be that of an operation before; then the gap seems to end before it begins, and a call that has
// marks of its own is taken to be elsewhere.
func (g gap) passes(p heap.Position, positions heap.Positions, marked bool) bool {
	at := int(p.Code)
	if g.before <= g.after {
		return g.before <= at && at < g.after
	}
	if loop := sourceAt(positions, g.before); loop <= sourceAt(positions, g.after) {
		return at < g.after && int(p.Source) >= loop
	}
	return !marked && (g.before <= at || at < g.after)
}

// framesByDeopt locates frames by the deoptimiser's own tables, as read gets them: they say which functions are inlined
// at a point, and where in its bytecode each continues. The position tables do not cover deopt exits, nor all calls.
// Nil: not known.
func (v *Resolver) framesByDeopt(read func(*heap.Reader, *heap.Code, int) ([]optimized.Frame, error), c *code,
	raw stack.RawFrame) []*Frame {
	if raw.Exact { // no call is left
		return nil
	}
	var frames []optimized.Frame
	functions := map[heap.Word]*function{} // those of c are by the addresses that they had when it was read
	tables := func() bool {
		var err error
		if frames, err = read(v.r, c.Code, int(raw.PC-c.Start)); err != nil || !v.r.Same(c.Code) {
			return false
		}
		for _, w := range frames {
			fn := v.functionOf(w.Function)
			if fn == nil || fn.script != nil && v.bytecode(fn, 0, w.Function) == nil {
				return false
			}
			functions[w.Function] = fn
		}
		return true
	}
	if !v.asSampled(tables, func() { clear(functions) }) {
		return nil
	}
	return v.framesOf(frames, functions, c.tier)
}

// framesOf gives the logical frames of deopt frames in code of a tier. Nil if one of their functions was not read.
func (v *Resolver) framesOf(frames []optimized.Frame, functions map[heap.Word]*function, t Tier) []*Frame {
	fs := make([]*Frame, 0, len(frames))
	for i, w := range frames {
		fn := functions[w.Function]
		if fn == nil || fn.script != nil && fn.bytecode == nil && v.bytecode(fn, 0, fn.sfi) == nil {
			return nil
		}
		f := fn.frame(t)
		if fn.script != nil {
			v.locate(f, fn, sourceAt(fn.bytecode.Positions, w.Offset))
		}
		f.Inlined = i < len(frames)-1
		fs = append(fs, f)
	}
	if len(fs) == 0 {
		return nil
	}
	return fs
}
