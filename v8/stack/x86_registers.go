package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/target"
)

// leafWords is how many words of the stack are kept for repairs.
const leafWords = 64

// readLeaf keeps what it takes to repair the first frame in V8's code, whose frame pointer may be its caller's: the
// stack, and the function that rdi holds while it is entered.
func (s *walk) readLeaf(regs target.Registers) {
	s.Leaf.SP, s.Leaf.BP = regs.General[target.RSP], regs.General[target.RBP]
	s.Leaf.RAX, s.Leaf.RCX = regs.General[target.RAX], regs.General[target.RCX]
	s.Leaf.R8, s.Leaf.R9, s.Leaf.R10 = regs.General[target.R8], regs.General[target.R9], regs.General[target.R10]
	s.Leaf.Callee = RawFrame{Marker: -1, ID: heap.Identity{Script: -1}}
	if s.v8SP == 0 {
		return
	}
	if s.v8SP == s.leafSP {
		s.identify(heap.Word(regs.General[target.RDI]), &s.Leaf.Callee)
	}
	if words := make([]uint64, leafWords); s.words(words, s.v8SP) {
		s.Leaf.Words = words
	}
}

// leafPosition is the leaf of a stack.
func leafPosition(r *target.Registers) Position {
	return Position{PC: r.IP, SP: r.General[target.RSP], BP: r.General[target.RBP], Exact: true, Registers: r}
}
