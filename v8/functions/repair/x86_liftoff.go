package repair

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// repairWasm corrects a leaf in WebAssembly's code.
func (a *attempt) repairWasm(raw stack.RawFrame, leaf stack.Leaf, c Code) []stack.RawFrame {
	if c.Kind == Jumps || x86.InLiftoffEntry(c.head(), int(raw.PC-c.Start)) {
		self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
		return a.above(self, raw, leaf, 0)
	}
	return a.repairOther(raw, leaf, c)
}

// liftoffSetup corrects a leaf in the builtin that makes the frame of Liftoff's code: it takes its own return address
// off the stack, and pushes rbp.
func (a *attempt) liftoffSetup(raw stack.RawFrame, leaf stack.Leaf, start uint64) []stack.RawFrame {
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: 0, ID: heap.Identity{Script: -1}}
	switch raw.PC - start {
	case 0, 2:
		return a.above(self, raw, leaf, 1)
	case 1:
		return a.above(self, raw, leaf, 0)
	}
	return []stack.RawFrame{raw}
}
