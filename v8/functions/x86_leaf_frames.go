package functions

import (
	"bytes"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// repairOther corrects a leaf in code that is not a JavaScript function's, from its own instructions alone.
func (v *Resolver) repairOther(raw stack.RawFrame, leaf stack.Leaf, start uint64, head []byte) []stack.RawFrame {
	v.basis.passing = true
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
	at, entry := int(raw.PC-start), bytes.Index(head, x86.Prologue)
	switch {
	case entry >= 0 && at <= entry+1:
		return v.entering(self, raw, leaf, at-entry)
	case v.inEpilogue(start, head, at):
		return v.above(self, raw, leaf, 0)
	}
	return []stack.RawFrame{raw}
}

// entering repairs a leaf that is in its prologue, at an offset from push rbp.
func (v *Resolver) entering(self, raw stack.RawFrame, leaf stack.Leaf, at int) []stack.RawFrame {
	switch {
	case at <= 0:
		return v.above(self, raw, leaf, 0)
	case at == 1:
		return v.above(self, raw, leaf, 1)
	}
	return []stack.RawFrame{self} // the frame is its own
}

// above puts the leaf on top of the frame at rbp, whose return address is a word of the stack.
func (v *Resolver) above(self, caller stack.RawFrame, leaf stack.Leaf, word int) []stack.RawFrame {
	if word >= len(leaf.Words) || !v.isCode(leaf.Words[word]) {
		return []stack.RawFrame{self}
	}
	caller.PC, caller.Exact = leaf.Words[word], false
	return []stack.RawFrame{self, caller}
}

// under puts self on top of the function whose frame is at rbp, which goes on at the first return address on the stack
// that is in its code. It is false where there is none.
func (v *Resolver) under(self, raw stack.RawFrame, leaf stack.Leaf) ([]stack.RawFrame, bool) {
	for i := range len(leaf.Words) + 1 {
		w := leaf.R10
		if i < len(leaf.Words) {
			w = leaf.Words[i]
		}
		if v.returnsTo(w, raw) {
			raw.PC, raw.Exact = w, false
			return []stack.RawFrame{self, raw}, true
		}
	}
	return []stack.RawFrame{self, raw}, false
}
