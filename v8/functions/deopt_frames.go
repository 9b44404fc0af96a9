package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/stack"
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
	g := c.marks.At(at)
	fs := v.framesOf(g.Frames, c.functions, c.tier)
	if len(fs) == 0 || g.Sure && !c.marks.Inlines(g, c.functions[g.Frames[0].Function].bytecode) {
		return fs
	}
	fs[0].Line, fs[0].Column, fs[0].Lost = 0, 0, LostCode
	return append([]*Frame{goneFrame}, fs...)
}

// marksOf finds the marks in code. Code that cannot be read has none.
func (v *Resolver) marksOf(c *code) *optimized.Marks {
	n := int(c.End - c.Start)
	if exits := c.optimized.DeoptExits(); exits > 0 {
		n = min(n, exits)
	}
	b, err := v.textAt(c, 0, n)
	if err != nil || !v.r.Same(c.Code) {
		return &optimized.Marks{}
	}
	return c.optimized.Marks(b, c.Start)
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
			v.locate(f, fn, fn.bytecode.Positions.SourceAt(w.Offset))
		}
		f.Inlined = i < len(frames)-1
		fs = append(fs, f)
	}
	if len(fs) == 0 {
		return nil
	}
	return fs
}
