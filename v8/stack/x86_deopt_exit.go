package stack

import (
	"bytes"
	"encoding/binary"
)

// deoptReturn finds the return address of the deoptimiser's call: the word of the stack that is in the deopt exits of a
// function's code and has no other such word between it and the frame; 0 = none. The builtin at start has saved all
// registers below it, and they may hold any address of the code.
func (v *Resolver) deoptReturn(raw RawFrame, leaf Leaf, start uint64) (from uint64) {
	for _, w := range leaf.Words[:min(v.savedWords(start)+3, len(leaf.Words))] {
		c := v.codeOf(w)
		if c != nil && c.id == raw.ID && c.inDeoptExits(w) {
			from = w
		}
	}
	return from
}

// savedWords is how many words the registers take: sub rsp,imm32 is the first instruction and makes place for xmm
// registers, the other 16 are pushed. Up to two words more are on top in a call of C++.
func (v *Resolver) savedWords(start uint64) int {
	const general, most = 16, 64
	b, err := v.r.Bytes(start, 7)
	if err != nil || !bytes.HasPrefix(b, []byte{0x48, 0x81, 0xec}) {
		return 0
	}
	return general + int(min(binary.LittleEndian.Uint32(b[3:])/8, most))
}
