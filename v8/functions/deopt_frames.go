package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// deoptFrames locates calls in Maglev's code. Many calls have no entry in its position table, and the entry before them
// may belong to a loop around the call; the deoptimisation data is exact. Code without a position table (Node 24.0 to
// 24.19) is located by that data everywhere, which is a guess between calls. says is false where the data says nothing
// of a place. Where it does, only the data counts: the frames are nil if their functions cannot be read.
func (v *Resolver) deoptFrames(c *code, raw stack.RawFrame) (fs []*Frame, says bool) {
	var frames []heap.DeoptFrame
	at := int(raw.PC - c.Start)
	if !raw.Exact {
		frames = c.optimized.DeoptFrames(at)
	}
	if frames == nil && c.tier == Maglev && len(c.optimized.Positions) == 0 {
		frames = c.optimized.NearestDeoptFrames(at)
	}
	if frames == nil {
		return nil, false
	}
	if fs = v.framesOf(frames, c.functions, c.tier); fs == nil {
		fs = v.framesByDeopt(v.r.FramesAtCall, c, raw)
	}
	return fs, true
}

// framesByDeopt locates frames by the deoptimiser's own tables, as read gets them: they say which functions are inlined
// at a point, and where in its bytecode each continues. The position tables do not cover deopt exits, nor all calls.
// Nil: not known.
func (v *Resolver) framesByDeopt(read func(*heap.Code, *heap.Optimized, int) ([]heap.DeoptFrame, error), c *code,
	raw stack.RawFrame) []*Frame {
	if raw.Exact { // no call is left
		return nil
	}
	var frames []heap.DeoptFrame
	functions := map[heap.Word]*function{} // those of c are by the addresses that they had when it was read
	tables := func() bool {
		var err error
		if frames, err = read(c.Code, c.optimized, int(raw.PC-c.Start)); err != nil || !v.r.Same(c.Code) {
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
func (v *Resolver) framesOf(frames []heap.DeoptFrame, functions map[heap.Word]*function, t Tier) []*Frame {
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
