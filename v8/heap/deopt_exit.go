package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// InDeoptExits reports whether an offset is in the deopt exits, behind the code proper. There is one exit, a call of
// the deoptimiser, for each deoptimisation point.
func (o *Optimized) InDeoptExits(offset int) bool { return o.deoptExits > 0 && offset > o.deoptExits }

// FramesAtExit gives the frames that the deopt exit at an offset of the code replaces: the innermost inlined function
// first, the code's own function last. (src/deoptimizer/deoptimizer.cc, the constructor of Deoptimizer)
func (r *Reader) FramesAtExit(c *Code, o *Optimized, offset int) ([]DeoptFrame, error) {
	if err := r.l.Require(layout.DeoptEntries, layout.DeoptExitSize, layout.TranslationJSFrames); err != nil {
		return nil, err
	}
	if err := r.within(deoptLimits); err != nil {
		return nil, err
	}
	size := r.l.At(layout.DeoptExitSize)
	if !o.InDeoptExits(offset) || size <= 0 {
		return nil, fmt.Errorf("code 0x%x: no exit at %d", uint64(c.object), offset)
	}
	d, err := r.deopts(c.word(r.l.At(layout.CodeDeoptData)), o.Function)
	if err != nil {
		return nil, err
	}
	out := d.framesOf((offset - o.deoptExits) / size)
	if out == nil {
		return nil, fmt.Errorf("code 0x%x: the exit at %d has no translation", uint64(c.object), offset)
	}
	return out, nil
}
