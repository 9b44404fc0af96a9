package disasm

import (
	"math"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Instruction is one instruction.
type Instruction struct {
	Offset, Size int
	Text         string // in Intel's syntax
}

// Unknown is the text of bytes that are no instruction, or none that is known.
const Unknown = "(bad)"

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
