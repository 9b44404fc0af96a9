package repair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestRepairCEntry: while CEntry drops its arguments, rcx has its return address, and what looks like one on the
// stack is older. The instructions are those of official builds, from where rbp is the caller's on.
func TestRepairCEntry(t *testing.T) {
	const ret, older = callerStart + 20, callerStart + 25
	type instruction struct {
		code  []byte
		inRCX bool
	}
	for node, instructions := range map[string][]instruction{
		"16": {
			{[]byte{0x49, 0x8d, 0x67, 0x08}, true},                          // lea rsp,[r15+8]
			{[]byte{0x51}, true},                                            // push rcx
			{[]byte{0x49, 0x8b, 0xb5, 0xd8, 0x35, 0, 0}, false},             // mov rsi,[r13+0x35d8]
			{[]byte{0x49, 0xc7, 0x85, 0x38, 0x36, 0, 0, 0, 0, 0, 0}, false}, // mov [r13+0x3638],0
			{[]byte{0xc3}, false},                                           // ret
		},
		"24": {
			{[]byte{0x49, 0x8b, 0xb5, 0xd0, 0, 0, 0}, false},             // mov rsi,[r13+0xd0]
			{[]byte{0x49, 0xc7, 0x85, 0xc0, 0, 0, 0, 0, 0, 0, 0}, false}, // mov [r13+0xc0],0
			{[]byte{0x59}, false},                  // pop rcx
			{[]byte{0x49, 0x8d, 0x67, 0x08}, true}, // lea rsp,[r15+8]
			{[]byte{0x51}, true},                   // push rcx
			{[]byte{0xc3}, false},                  // ret
		},
	} {
		code := make([]byte, 16)
		for _, i := range instructions {
			code = append(code, i.code...)
		}
		p := newProcess()
		p.memory = bytesAt{builtinStart, append(code, make([]byte, 16)...)}
		p.builtins = []builtin{{"CEntry_Return1_ArgvOnStack_NoBuiltinExit", builtinStart, builtinStart + 100}}
		at := uint64(builtinStart + 16)
		for _, i := range instructions {
			leaf := stack.Leaf{Words: []uint64{ret, older}, RCX: older}
			if i.inRCX {
				leaf = stack.Leaf{Words: []uint64{1, older}, RCX: ret}
			}
			want := []shown{{at, true, 0, heap.Identity{}}, {ret, false, -1, callerID}}
			got := show(repaired(p, stack.RawFrame{PC: at, Exact: true, Marker: -1, ID: callerID}, leaf))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Node %s at % x: %s", node, i.code, diff)
			}
			at += uint64(len(i.code))
		}
	}
}
