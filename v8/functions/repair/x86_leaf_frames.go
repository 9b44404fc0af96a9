package repair

import (
	"bytes"

	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// repairOther corrects a leaf in code that is not a JavaScript function's, from its own instructions alone.
func (a *attempt) repairOther(raw stack.RawFrame, leaf stack.Leaf, c Code) []stack.RawFrame {
	a.passing = true
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
	at, entry := int(raw.PC-c.Start), bytes.Index(c.head(), x86.Prologue)
	switch {
	case entry >= 0 && at <= entry+1:
		return a.entering(self, raw, leaf, at-entry)
	case a.inEpilogue(c, at):
		return a.above(self, raw, leaf, 0)
	}
	return []stack.RawFrame{raw}
}

// entering repairs a leaf that is in its prologue, at an offset from push rbp.
func (a *attempt) entering(self, raw stack.RawFrame, leaf stack.Leaf, at int) []stack.RawFrame {
	switch {
	case at <= 0:
		return a.above(self, raw, leaf, 0)
	case at == 1:
		return a.above(self, raw, leaf, 1)
	}
	return []stack.RawFrame{self} // the frame is its own
}

// above puts the leaf on top of the frame at rbp, whose return address is a word of the stack.
func (a *attempt) above(self, caller stack.RawFrame, leaf stack.Leaf, word int) []stack.RawFrame {
	if word >= len(leaf.Words) || !a.isCode(leaf.Words[word]) {
		return []stack.RawFrame{self}
	}
	caller.PC, caller.Exact = leaf.Words[word], false
	return []stack.RawFrame{self, caller}
}

// holding leaves of a leaf in a builtin that has no frame only what the return address is among.
func (a *attempt) holding(raw stack.RawFrame, leaf stack.Leaf, name string, start uint64) stack.Leaf {
	switch holder := a.holder(raw, name, start); {
	case holder != x86.OnStack:
		leaf.Words, leaf.R10 = []uint64{held(holder, leaf)}, 0
	case name == "BaselineLeaveFrame":
		leaf.Words, leaf.R10 = leaf.Words[:min(1, len(leaf.Words))], 0 // what is elsewhere is of another call
	}
	return leaf
}

func held(by x86.Holder, leaf stack.Leaf) uint64 {
	switch by {
	case x86.InRAX:
		return leaf.RAX
	case x86.InRCX:
		return leaf.RCX
	case x86.InR8:
		return leaf.R8
	}
	return leaf.R10
}

// holder says where the return address of a builtin without a frame is.
func (a *attempt) holder(raw stack.RawFrame, name string, start uint64) x86.Holder {
	key := builtinPoint{name, raw.PC - start}
	is, known := a.holders[key]
	if known || !raw.Exact {
		return is
	}
	_, _, end, _ := a.Builtin(raw.PC)
	if code, err := a.Bytes(raw.PC, int(min(end-raw.PC, x86.MaxReturnAddress))); err == nil {
		is = x86.ReturnAddress(code)
		a.holders.add(key, is)
	}
	return is
}

// under puts self on top of the function whose frame is at rbp, which goes on at the first return address on the stack
// that is in its code. It is false where there is none, or none before a word that may be one: in code that is gone.
func (a *attempt) under(self, raw stack.RawFrame, leaf stack.Leaf) ([]stack.RawFrame, bool) {
	for i := range len(leaf.Words) + 1 {
		w := leaf.R10
		if i < len(leaf.Words) {
			w = leaf.Words[i]
		}
		if a.returnsTo(w, raw) {
			raw.PC, raw.Exact = w, false
			return []stack.RawFrame{self, raw}, true
		}
		if a.Generated(w) && !a.isKnown(w) {
			break
		}
	}
	return []stack.RawFrame{self, raw}, false
}

// isCode reports whether an address is one that V8's code returns to, whether or not that code is known.
func (a *attempt) isCode(pc uint64) bool {
	_, _, _, ok := a.Builtin(pc - 1)
	return ok || a.Generated(pc-1) // a call may be the last instruction of its function
}

// isKnown reports whether an address is in code that V8 made, or behind it.
func (a *attempt) isKnown(pc uint64) bool {
	_, js := a.Code(pc)
	_, wasm := a.Wasm(pc - 1)
	return js || wasm
}

// returnsTo reports whether a word is a return address into a function's code.
func (a *attempt) returnsTo(w uint64, raw stack.RawFrame) bool {
	if name, _, ok := builtins.Of(stack.RawFrame{PC: w}, a.Process); ok {
		return builtins.IsInterpreter(name) && !a.Exported(raw)
	}
	c, ok := a.Code(w)
	return ok && a.Runs(w, raw) && !c.inDeoptExits(w)
}
