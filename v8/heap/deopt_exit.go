package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// InExits reports whether an offset is in the exits behind the code proper: there is a call of the deoptimiser for each
// deoptimisation point.
func (o *Optimized) InExits(offset int) bool { return o.exits > 0 && offset > o.exits }

// Left gives the functions that are left by the exit at an offset of the code, the innermost inlined one first and the code's
// own function last. (src/deoptimizer/deoptimizer.cc, the constructor of Deoptimizer)
func (r *Reader) Left(c *Code, o *Optimized, offset int) ([]Waiting, error) {
	if err := r.l.Require(layout.DeoptEntries, layout.DeoptExitSize, layout.TranslationJSFrames); err != nil {
		return nil, err
	}
	if err := r.within(deoptLimits); err != nil {
		return nil, err
	}
	size := r.l.At(layout.DeoptExitSize)
	if !o.InExits(offset) || size <= 0 {
		return nil, fmt.Errorf("code 0x%x: no exit at %d", uint64(c.object), offset)
	}
	d, err := r.deopts(c.word(r.l.At(layout.CodeDeoptData)), o.Function)
	if err != nil {
		return nil, err
	}
	out := d.waiting((offset - o.exits) / size)
	if out == nil {
		return nil, fmt.Errorf("code 0x%x: the exit at %d has no translation", uint64(c.object), offset)
	}
	return out, nil
}
