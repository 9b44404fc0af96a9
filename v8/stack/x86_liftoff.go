package stack

import (
	"bytes"

	"github.com/hotspan/hotspan/v8/heap"
)

// Liftoff's code has its frame made by a builtin, WasmLiftoffFrameSetup: mov r12d,index or xor r12d,r12d, and a call.
// (src/wasm/baseline/x64/liftoff-assembler-x64-inl.h, CallFrameSetupStub)
var liftoffEntries = []struct {
	head []byte
	call int // offset of the call
}{{[]byte{0x41, 0xbc}, 6}, {[]byte{0x45, 0x31, 0xe4}, 3}}

// repairWasm corrects a leaf in WebAssembly's code.
func (v *Resolver) repairWasm(raw RawFrame, leaf Leaf, c *wasmCode) []RawFrame {
	at := int(raw.PC - c.Start)
	for _, e := range liftoffEntries {
		if bytes.HasPrefix(c.head, e.head) && len(c.head) > e.call && c.head[e.call] == 0xe8 && at <= e.call {
			return v.above(RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}},
				raw, leaf, 0)
		}
	}
	return v.repairOther(raw, leaf, c.Start, c.head)
}

// liftoffSetup corrects a leaf in the builtin that makes the frame of Liftoff's code: it takes its own return address
// off the stack, and pushes rbp.
func (v *Resolver) liftoffSetup(raw RawFrame, leaf Leaf, start uint64) []RawFrame {
	self := RawFrame{PC: raw.PC, Exact: true, Marker: 0, ID: heap.Identity{Script: -1}}
	switch raw.PC - start {
	case 0, 2:
		return v.above(self, raw, leaf, 1)
	case 1:
		return v.above(self, raw, leaf, 0)
	}
	return []RawFrame{raw}
}
