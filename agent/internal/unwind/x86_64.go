package unwind

import (
	"debug/elf"
	"fmt"
)

// What is specific to x86-64 is in the files x86_64*.go: register numbers here, the rules that its compilers, linkers
// and OpenSSL's assembly write in x86_64_expression.go, and how they are applied in x86_64_step.go.

// checkMachine refuses files of other machines.
func checkMachine(f *elf.File) error {
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return fmt.Errorf("machine %v %v, only x86-64 is supported", f.Machine, f.Class)
	}
	return nil
}

// The registers that a Row's CFA may be relative to in any frame, in DWARF numbers (System V ABI for x86-64, figure
// 3.36).
const (
	RBP uint8 = 6
	RSP uint8 = 7
)

// More DWARF register numbers.
const (
	regRBP = uint64(RBP)
	regR9  = 9
	regRA  = 16 // the return address

	numRegs = 16 // general registers: rax is 0, r15 is 15
)

// keptRegisters are the callee-saved registers besides rbp whose saved places a Table has, in DWARF numbers: rbx, r12
// and r13. Compilers of libuv keep in one of these what a thread of its pool works on.
var keptRegisters = [...]uint64{3, 12, 13}

const numKept = len(keptRegisters)

// Offsets from rsp to the interrupted registers when a signal handler has returned to its restorer: rsp then points to
// the ucontext in the kernel's struct rt_sigframe, the registers are in its struct sigcontext (asm/sigcontext.h).
const (
	sigRBP = 120
	sigRSP = 160
	sigRIP = 168
)
