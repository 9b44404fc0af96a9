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

// compiledFrom reports whether baseline code was compiled from the bytecode that a frame holds.
func (v *Resolver) compiledFrom(c *code, raw stack.RawFrame) bool {
	if c.baseline != nil && c.baseline.Array == raw.Bytecode {
		return true
	}
	b, err := v.baselineFor(c, raw)
	if err != nil || b.Array != raw.Bytecode {
		return false
	}
	c.baseline = b
	return true
}

// baselineFor reads anew what the baseline code of a frame was compiled from. Code that refers to it indirectly is the
// same after the collector has moved it.
func (v *Resolver) baselineFor(c *code, raw stack.RawFrame) (*heap.Baseline, error) {
	if !v.baselineLacksBytecode() {
		return v.r.Baseline(c.Code)
	}
	b, err := v.r.BaselineOf(c.Code, raw.SFI)
	if err != nil && !raw.Exact { // it will return to the code, and so is the code's, whatever the function has now
		b, err = v.r.BaselineFrom(c.Code, raw.Bytecode)
	}
	return b, err
}

// compiledFor reports whether baseline code is a function's.
func (v *Resolver) compiledFor(c *code, sfi heap.Word) bool {
	if w, err := v.r.BytecodeOf(sfi); err == nil && c.baseline != nil && c.baseline.Array == w {
		return true
	}
	if !v.baselineLacksBytecode() {
		return false
	}
	b, err := v.r.BaselineOf(c.Code, sfi)
	if err != nil {
		return false
	}
	c.baseline = b
	return true
}
