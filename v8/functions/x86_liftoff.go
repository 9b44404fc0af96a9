package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// repairWasm corrects a leaf in WebAssembly's code.
func (v *Resolver) repairWasm(raw stack.RawFrame, leaf stack.Leaf, c *wasmCode) []stack.RawFrame {
	if x86.InLiftoffEntry(c.head, int(raw.PC-c.Start)) {
		self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
		return v.above(self, raw, leaf, 0)
	}
	return v.repairOther(raw, leaf, c.Start, c.head)
}

// liftoffSetup corrects a leaf in the builtin that makes the frame of Liftoff's code: it takes its own return address
// off the stack, and pushes rbp.
func (v *Resolver) liftoffSetup(raw stack.RawFrame, leaf stack.Leaf, start uint64) []stack.RawFrame {
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: 0, ID: heap.Identity{Script: -1}}
	switch raw.PC - start {
	case 0, 2:
		return v.above(self, raw, leaf, 1)
	case 1:
		return v.above(self, raw, leaf, 0)
	}
	return []stack.RawFrame{raw}
}
