// Package x86 reads the machine code for x86-64 that V8's compilers make.
package x86

import "golang.org/x/arch/x86/x86asm"

// MaxInstruction is the size of the longest instruction. (Intel's manual, volume 2, 2.3.11)
const MaxInstruction = 15

// Decode decodes the first instruction. x86asm takes the first byte of one that is cut off for a prefix, and knows none
// with a VEX prefix (AVX and BMI): of these it gives the length only, as of another instruction.
func Decode(b []byte) (x86asm.Inst, error) {
	if len(b) > 0 && (b[0] == vex2 || b[0] == vex3) {
		return decodeVEX(b)
	}
	in, err := x86asm.Decode(b, 64)
	if err == nil && in.Op == 0 {
		err = x86asm.ErrTruncated
	}
	return in, err
}

// The first bytes of a VEX prefix of two bytes, and of three. (Intel's manual, volume 2, 2.3.5)
const vex2, vex3 = 0xc5, 0xc4

// The opcode maps that a VEX prefix selects: those behind 0F and 0F 3A.
const map0F, map0F3A = 1, 3

// decodeVEX decodes an instruction with a VEX prefix as MOVUPS with the same operands, which are encoded alike.
func decodeVEX(b []byte) (x86asm.Inst, error) {
	size, opcodes := 2, byte(map0F)
	if b[0] == vex3 {
		size = 3
	}
	if len(b) <= size {
		return x86asm.Inst{}, x86asm.ErrTruncated
	}
	if b[0] == vex3 {
		opcodes = b[1] & 0x1f
	}
	opcode, rest := b[size], b[size+1:]
	if opcodes == map0F && opcode == 0x77 { // VZEROUPPER and VZEROALL have no operands
		return x86asm.Inst{Op: x86asm.EMMS, Len: size + 1}, nil
	}
	in, err := x86asm.Decode(append([]byte{0x0f, 0x10}, rest[:min(len(rest), MaxInstruction)]...), 64)
	if err != nil || in.Op != x86asm.MOVUPS {
		return in, x86asm.ErrTruncated
	}
	in.Len += size - 1
	if opcodes == map0F3A || opcodes == map0F && hasImmediate(opcode) {
		in.Len++
	}
	if in.Len > len(b) {
		return in, x86asm.ErrTruncated
	}
	return in, nil
}

// hasImmediate reports whether an instruction of the map behind 0F ends in a byte: shuffles, shifts, comparisons and
// moves of parts. (Intel's manual, volume 2, appendix A, table A-3)
func hasImmediate(opcode byte) bool {
	return opcode >= 0x70 && opcode <= 0x73 || opcode == 0xc2 || opcode >= 0xc4 && opcode <= 0xc6
}
