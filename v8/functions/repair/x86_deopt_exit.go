package repair

import (
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// deoptReturn finds the return address of the deoptimiser's call: the word of the stack that is in the deopt exits of a
// function's code and has no other such word between it and the frame; 0 = none. The builtin at start has saved all
// registers below it, and they may hold any address of the code.
func (a *attempt) deoptReturn(raw stack.RawFrame, leaf stack.Leaf, start uint64) (from uint64) {
	for _, w := range leaf.Words[:min(a.savedWords(start)+3, len(leaf.Words))] {
		if c, ok := a.Code(w); ok && c.ID == raw.ID && c.inDeoptExits(w) {
			from = w
		}
	}
	return from
}

// savedWords is how many words the registers take. Up to two words more are on top in a call of C++.
func (a *attempt) savedWords(start uint64) int {
	b, err := a.Bytes(start, x86.DeoptimizationEntrySize)
	if err != nil {
		return 0
	}
	return x86.SavedWords(b)
}
