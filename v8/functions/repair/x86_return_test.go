package repair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestRepairDroppedArguments: while a builtin drops arguments, a register has its return address, and what looks like
// one on the stack is older. The instructions are those of official builds, from where rbp is the caller's on.
func TestRepairDroppedArguments(t *testing.T) {
	const ret, older = callerStart + 20, callerStart + 25
	type instruction struct {
		code  []byte
		inReg bool
	}
	var rax, rcx, r10 stack.Leaf
	rax.RAX, rcx.RCX, r10.R10 = ret, ret, ret
	for _, c := range []struct {
		name         string
		leaf         stack.Leaf // while a register has it
		instructions []instruction
	}{
		{"CEntry_Return1_DontSaveFPRegs_ArgvOnStack_NoBuiltinExit", rcx, []instruction{ // Node 16
			{[]byte{0x49, 0x8d, 0x67, 0x08}, true},                          // lea rsp,[r15+8]
			{[]byte{0x51}, true},                                            // push rcx
			{[]byte{0x49, 0x8b, 0xb5, 0xd8, 0x35, 0, 0}, false},             // mov rsi,[r13+0x35d8]
			{[]byte{0x49, 0xc7, 0x85, 0x38, 0x36, 0, 0, 0, 0, 0, 0}, false}, // mov [r13+0x3638],0
			{[]byte{0xc3}, false},                                           // ret
		}},
		{"CEntry_Return1_ArgvOnStack_NoBuiltinExit", rcx, []instruction{ // Node 24
			{[]byte{0x49, 0x8b, 0xb5, 0xd0, 0, 0, 0}, false},             // mov rsi,[r13+0xd0]
			{[]byte{0x49, 0xc7, 0x85, 0xc0, 0, 0, 0, 0, 0, 0, 0}, false}, // mov [r13+0xc0],0
			{[]byte{0x59}, false},                  // pop rcx
			{[]byte{0x49, 0x8d, 0x67, 0x08}, true}, // lea rsp,[r15+8]
			{[]byte{0x51}, true},                   // push rcx
			{[]byte{0xc3}, false},                  // ret
		}},
		{"CallApiCallbackGeneric", rcx, []instruction{ // Node 24
			{[]byte{0x59}, false},                        // pop rcx
			{[]byte{0x4a, 0x8d, 0x64, 0xfc, 0x38}, true}, // lea rsp,[rsp+r15*8+0x38]
			{[]byte{0x51}, true},                         // push rcx
			{[]byte{0xc3}, false},                        // ret
		}},
		{"CallApiCallback", rax, []instruction{ // Node 16
			{[]byte{0x57}, true},                          // push rdi
			{[]byte{0x50}, true},                          // push rax
			{[]byte{0x48, 0x8d, 0x5c, 0x24, 0x08}, false}, // lea rbx,[rsp+8]
			{[]byte{0x55}, false},                         // push rbp
			{[]byte{0x48, 0x89, 0xe5}, false},             // mov rbp,rsp
		}},
		{"CallApiCallback", rcx, []instruction{ // Node 16
			{[]byte{0x59}, false},            // pop rcx
			{[]byte{0x48, 0x03, 0xe3}, true}, // add rsp,rbx
			{[]byte{0xff, 0xe1}, false},      // jmp rcx
		}},
		{"CallApiCallbackOptimizedNoProfiling", rax, []instruction{ // Node 24
			{[]byte{0x58}, false},                              // pop rax
			{[]byte{0x4d, 0x8b, 0x95, 0x20, 0x02, 0, 0}, true}, // mov r10,[r13+0x220]
			{[]byte{0x41, 0x52}, true},                         // push r10
			{[]byte{0x53}, true},                               // push rbx
			{[]byte{0x4d, 0x8d, 0x55, 0x80}, true},             // lea r10,[r13-0x80]
			{[]byte{0x41, 0x52}, true},                         // push r10
			{[]byte{0x50}, true},                               // push rax
			{[]byte{0x55}, false},                              // push rbp
			{[]byte{0x48, 0x89, 0xe5}, false},                  // mov rbp,rsp
		}},
		{"ArrayPrototypePush", r10, []instruction{ // what TurboFan makes of builtins
			{[]byte{0x41, 0x5a}, false},            // pop r10
			{[]byte{0x48, 0x8d, 0x24, 0xcc}, true}, // lea rsp,[rsp+rcx*8]
			{[]byte{0x41, 0x52}, true},             // push r10
			{[]byte{0xc3}, false},                  // ret
		}},
	} {
		code := make([]byte, 16)
		for _, i := range c.instructions {
			code = append(code, i.code...)
		}
		p := newProcess()
		p.memory = bytesAt{builtinStart, code}
		p.builtins = []builtin{{c.name, builtinStart, builtinStart + uint64(len(code))}}
		at := uint64(builtinStart + 16)
		for _, i := range c.instructions {
			leaf := stack.Leaf{Words: []uint64{ret, older}, RAX: older, RCX: older, R8: older, R10: older}
			if i.inReg {
				leaf = c.leaf
				leaf.Words = []uint64{1, older}
			}
			want := []shown{{at, true, 0, heap.Identity{}}, {ret, false, -1, callerID}}
			got := show(repaired(p, stack.RawFrame{PC: at, Exact: true, Marker: -1, ID: callerID}, leaf))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s at % x: %s", c.name, i.code, diff)
			}
			at += uint64(len(i.code))
		}
	}
}
