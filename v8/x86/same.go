package x86

import "slices"

// pointerSize is the size of a pointer to an object in machine code.
const pointerSize = 8

// SameInstructions reports whether two pieces of machine code, as far as both were read, differ at most in the objects
// that they refer to, which the collector moves.
func SameInstructions(a, b []byte) bool {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] == b[i] {
			continue
		}
		end := pointerEnd(a, i)
		if end < 0 || end != pointerEnd(b, i) {
			return false
		}
		i = end - 1
	}
	return n > 0
}

// pointerEnd is where the immediate operand ends that a byte is in, of an instruction that loads 64 bits; -1: it is in
// none.
func pointerEnd(code []byte, at int) int {
	for start := at; start > at-pointerSize && start >= 2; start-- {
		if code[start-1]&^7 == 0xb8 && slices.Contains([]byte{0x48, 0x49}, code[start-2]) { // mov r64, imm64
			return start + pointerSize
		}
	}
	return -1
}
