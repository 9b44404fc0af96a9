// Package disasm writes the machine code of x86-64 as text.
package disasm

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Instruction is one instruction.
type Instruction struct {
	Offset, Size int
	Text         string // in Intel's syntax; "(bad)" for bytes that are none, or one that is not known
}

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

// decode decodes the first instruction.
func decode(b []byte, symbol x86asm.SymLookup, pc uint64) Instruction {
	if v, ok := readVEX(b); ok {
		return v.decode(b)
	}
	in, err := x86asm.Decode(b, 64)
	if err != nil || in.Op == 0 { // a prefix alone
		return Instruction{Size: 1, Text: "(bad)"}
	}
	return Instruction{Size: in.Len, Text: text(in, pc, symbol)}
}

// text is an instruction of x86asm as binutils would write it: displacements of 32 bits have a sign. What a nop has as
// operands only makes it long.
func text(in x86asm.Inst, pc uint64, symbol x86asm.SymLookup) string {
	if in.Op == x86asm.NOP {
		return "nop"
	}
	for i, arg := range in.Args {
		if m, ok := arg.(x86asm.Mem); ok {
			if m.Disp > math.MaxInt32 && m.Disp <= math.MaxUint32 {
				m.Disp = int64(int32(m.Disp))
			}
			in.Args[i] = m
		}
	}
	return strings.Replace(strings.ToLower(x86asm.IntelSyntax(in, pc, symbol)), ", ptr [", ", [", 1)
}
