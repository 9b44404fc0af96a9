// Package unwind turns the .eh_frame of an x86-64 ELF file into closed-form unwind rules, once per file; where there is
// none for its code, that is followed. Step applies the rules in Go. The BPF program applies the same rows, from an
// array map, in the kernel.
package unwind

// Row is one rule, in force from PC up to the next row's PC. Its 8 bytes, little endian, are shared with BPF.
type Row struct {
	PC  uint32 // ELF virtual address minus Table.Base
	CFA uint8  // how the canonical frame address is found: one of the constants below
	RBP int8   // caller's rbp is at CFA + 8*RBP; or one of the RBP constants below
	Off int16  // in units of 8 bytes; what it is added to depends on CFA
}

// How a Row finds the canonical frame address (CFA), which is the caller's rsp after the return. Below 16, CFA is a
// DWARF register number and the address is that register + 8*Off; registers other than RSP and RBP are known only
// in the leaf frame, and in its caller, if the rule there asks for them: then the callee has kept them. The return
// address is at CFA-8 for all kinds up to CFAPLT, and for CFADerefR9 and CFADerefFP.
const (
	CFADeref    uint8 = 16 // *(rsp + 8*Off) + 8: OpenSSL's assembly keeps the caller's rsp in its frame
	CFADerefRBP uint8 = 17 // *(rbp + 8*Off): GCC functions that realign their stack
	CFAPLT      uint8 = 18 // rsp + 8, and 8 more if (pc & 15) >= Off: the linker's lazy binding stubs
	CFASignal   uint8 = 19 // rip, rsp and rbp are in the kernel's rt_sigframe, which rsp points into
	CFAEnd      uint8 = 20 // no return address: the thread's first frame
	CFANone     uint8 = 21 // no rule: between functions, or a rule this form cannot express
	CFADerefR9  uint8 = 22 // *(rsp + 8*r9 + 8*Off) + 8: OpenSSL's bn_mul_mont, with a number of that size on the stack
	// *(rbp + 8*Off) + 8: an instruction or two of OpenSSL's SHA-2, which has rbp as the stack pointer
	CFADerefFP uint8 = 23
)

// Values of Row.RBP that are no offsets.
const (
	RBPSame  int8 = 0    // still in rbp
	RBPAtRBP int8 = -127 // at *rbp, not a fixed distance from the CFA: functions that realign their stack
	RBPLost  int8 = -128 // unknown
)
