package optimized

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// InDeoptExits reports whether an offset is in the deopt exits, behind the code proper. There is one exit, a call of
// the deoptimiser, for each deoptimisation point.
func (o *Tables) InDeoptExits(offset int) bool { return o.deoptExits > 0 && offset > o.deoptExits }

// FramesAtExit gives the frames that the deopt exit at an offset of the code replaces: the innermost inlined function
// first, the code's own function last. (src/deoptimizer/deoptimizer.cc, the constructor of Deoptimizer)
func (o *Tables) FramesAtExit(r *heap.Reader, c *heap.Code, offset int) ([]Frame, error) {
	d, err := o.deoptsOf(r, c, layout.DeoptExitSize)
	if err != nil {
		return nil, err
	}
	size := r.Layout().At(layout.DeoptExitSize)
	if !o.InDeoptExits(offset) || size <= 0 {
		return nil, fmt.Errorf("code 0x%x: no exit at %d", c.Start, offset)
	}
	return d.translated((offset - o.deoptExits) / size)
}

// FramesAtCall gives the frames that optimised code at an offset, to which a call returns, stands for, in the same
// order. V8's own Error.stack goes by them. (src/execution/frames.cc, OptimizedJSFrame::Summarize)
func (o *Tables) FramesAtCall(r *heap.Reader, c *heap.Code, offset int) ([]Frame, error) {
	d, err := o.deoptsOf(r, c, layout.SafepointHeader)
	if err != nil {
		return nil, err
	}
	points, err := safepoints(r, c, c.Kind != r.Layout().At(layout.KindMaglev))
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(points, offset, func(p safepoint, at int) int { return p.pc - at })
	if !ok {
		return nil, fmt.Errorf("code 0x%x: no call returns to %d", c.Start, offset)
	}
	return d.translated(points[i].deopt)
}

// deoptsOf reads the deoptimisation data of code, if the layout has what that takes and also a field.
func (o *Tables) deoptsOf(r *heap.Reader, c *heap.Code, also layout.Field) (*deopts, error) {
	if err := r.Layout().Require(layout.DeoptEntries, layout.TranslationJSFrames, also); err != nil {
		return nil, err
	}
	if err := checkLimits(r.Layout()); err != nil {
		return nil, err
	}
	return newDeopts(r, r.DeoptData(c), o.Function)
}

// translated is framesOf, with an error for a point that has no frames.
func (d *deopts) translated(point int) ([]Frame, error) {
	out := d.framesOf(point)
	if out == nil {
		return nil, fmt.Errorf("code of 0x%x: deoptimisation point %d has no translation", uint64(d.own), point)
	}
	return out, nil
}
