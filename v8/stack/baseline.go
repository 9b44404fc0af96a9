package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// codeIsSilent reports whether baseline code does not say what bytecode it was made of. That is so in V8 9, where only the
// function has both, so that what is known of the code has to be learnt from the functions that run it.
func (v *Resolver) codeIsSilent() bool { return v.r.Layout().Has(layout.BaselineDataCode) }

// madeOf reports whether baseline code was made of the bytecode that a frame holds.
func (v *Resolver) madeOf(c *code, raw Raw) bool {
	if c.baseline != nil && c.baseline.Array == raw.Bytecode {
		return true
	}
	if !v.codeIsSilent() {
		return false
	}
	b, err := v.r.BaselineOf(c.Code, raw.SFI)
	if err != nil && !raw.Exact { // it will return to the code, and so is the code's, whatever the function has now
		b, err = v.r.BaselineFrom(c.Code, raw.Bytecode)
	}
	if err != nil || b.Array != raw.Bytecode {
		return false
	}
	c.baseline = b
	return true
}

// madeFor reports whether baseline code is a function's.
func (v *Resolver) madeFor(c *code, sfi heap.Word) bool {
	if w, err := v.r.BytecodeOf(sfi); err == nil && c.baseline != nil && c.baseline.Array == w {
		return true
	}
	if !v.codeIsSilent() {
		return false
	}
	b, err := v.r.BaselineOf(c.Code, sfi)
	if err != nil {
		return false
	}
	c.baseline = b
	return true
}
