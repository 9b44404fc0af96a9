// Package disasm writes the machine code of x86-64 as text.
package disasm

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// X86 gives the instructions of code that begins with one. Targets of jumps in the code are offsets, as +0x1c.
func X86(code []byte, address uint64) []Instruction {
	var all []Instruction
	for at := 0; at < len(code); {
		in := decode(code[at:], func(to uint64) (string, uint64) {
			if off := to - address; off < uint64(len(code)) {
				return fmt.Sprintf("+0x%x", off), to
			}
			return "", 0
		}, address+uint64(at))
		in.Offset = at
		all = append(all, in)
		at += in.Size
	}
	return all
}

// endbr64 is where an indirect call may go to. x86asm does not know it.
const endbr64 = "\xf3\x0f\x1e\xfa"

// decode decodes the first instruction.
func decode(b []byte, symbol x86asm.SymLookup, pc uint64) Instruction {
	if strings.HasPrefix(string(b[:min(len(b), len(endbr64))]), endbr64) {
		return Instruction{Size: len(endbr64), Text: "endbr64"}
	}
	if v, ok := readVEX(b); ok {
		return v.decode(b)
	}
	in, err := x86asm.Decode(b, 64)
	if err != nil || in.Op == 0 { // a prefix alone
		return Instruction{Size: 1, Text: Unknown}
	}
	return Instruction{Size: in.Len, Text: text(in, pc, symbol)}
}
