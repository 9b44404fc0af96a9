package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// baselineLacksBytecode reports whether baseline code does not refer to the bytecode that it was compiled from. That is
// so in V8 9: only the function refers to both, so the bytecode of a piece of code is learnt from the functions that
// run it.
func (v *Resolver) baselineLacksBytecode() bool { return v.r.Layout().Has(layout.BaselineDataCode) }

// isOf reports whether code is of the function of a frame. One with the same numbers, of another isolate, is not.
func (v *Resolver) isOf(c *code, raw stack.RawFrame) bool {
	if c.id != raw.ID || c.sfi == raw.SFI {
		return c.id == raw.ID
	}
	fn := v.function(raw.ID, raw.SFI)
	return fn != nil && fn == v.function(c.id, c.sfi)
}

// isBaselineOf reports whether baseline code is of the function of a frame. It is compared with that of the first frame
// by what both refer to: the bytecode, which the frame holds if it is set up. A mark-compact since the sample may have
// put something else there.
func (v *Resolver) isBaselineOf(c *code, raw stack.RawFrame) bool {
	if c.id.Script >= 0 {
		return v.isOf(c, raw)
	}
	if raw.ID.Script < 0 {
		return false
	}
	if !v.holdsBytecode(c, raw) {
		b, err := v.baselineFor(c, raw)
		if err != nil || v.mayHaveMoved() {
			if b = v.baselineNow(c, raw); b == nil {
				return false
			}
		}
		c.baseline = b
	}
	c.id, c.sfi = raw.ID, raw.SFI
	return true
}

// baselineNow reads what baseline code was compiled from, if that is the bytecode that the function of a frame has now,
// which has not died. Else it is nil.
func (v *Resolver) baselineNow(c *code, raw stack.RawFrame) (b *heap.Baseline) {
	raw.Bytecode, raw.Exact = 0, true // by now it may be in other code than it returns to
	read := func() bool {
		f, err := v.r.Function(raw.SFI)
		if err != nil || f.Identity != raw.ID || !v.r.IsListed(f, raw.SFI) {
			return false
		}
		b, err = v.baselineFor(c, raw)
		return err == nil && v.r.Same(c.Code)
	}
	if !v.compacted || !v.consistent(read, func() {}) {
		return nil
	}
	return b
}

// holdsBytecode reports whether a frame has the bytecode that was read with the code, before another mark-compact.
func (v *Resolver) holdsBytecode(c *code, raw stack.RawFrame) bool {
	n := v.moment.MarkCompacts
	return c.baseline != nil && c.baseline.Array == raw.Bytecode && v.counts(n) && n == c.compacts
}

// baselineFor reads what baseline code was compiled from, if that is what a frame runs.
func (v *Resolver) baselineFor(c *code, raw stack.RawFrame) (b *heap.Baseline, err error) {
	array := raw.Bytecode
	if array == 0 {
		if array, err = v.r.BytecodeOf(raw.SFI); err != nil {
			return nil, err
		}
	}
	if v.baselineLacksBytecode() {
		b, err = v.r.BaselineOf(c.Code, raw.SFI)
		if err != nil && !raw.Exact { // it will return to the code, and so is the code's, whatever the function has now
			b, err = v.r.BaselineFrom(c.Code, array)
		}
	} else {
		b, err = v.r.Baseline(c.Code)
	}
	if err == nil && b.Array != array {
		err = heap.ErrNotFound
	}
	return b, err
}
