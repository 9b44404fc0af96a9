package unwind

import "bytes"

// DWARF expression opcodes (DWARF 5, section 7.7.1).
const (
	opDeref       = 0x06
	opAnd         = 0x1a
	opMul         = 0x1e
	opPlus        = 0x22
	opPlusUconst  = 0x23
	opShl         = 0x24
	opGe          = 0x2a
	opLit0        = 0x30
	opLit31       = 0x4f
	opBreg0       = 0x70 // register 0 + SLEB128, up to register 31
	opBreg31      = 0x8f
	sizeofAddress = 8
)

// Offsets from rsp to the interrupted registers when a signal handler has returned to its restorer: rsp then points to
// the ucontext in the kernel's struct rt_sigframe, the registers are in its struct sigcontext (asm/sigcontext.h).
const (
	sigRBP = 120
	sigRSP = 160
	sigRIP = 168
)

// breg splits "register plus constant" off an expression.
func breg(expr []byte) (reg uint64, off int64, rest []byte, ok bool) {
	if len(expr) == 0 || expr[0] < opBreg0 || expr[0] > opBreg31 {
		return 0, 0, nil, false
	}
	r := reader{b: expr[1:]}
	off = r.sleb()
	return uint64(expr[0] - opBreg0), off, r.b, !r.short
}

// expressionCFA knows the CFA expressions that compilers, linkers and OpenSSL's assembly write.
func expressionCFA(expr []byte) (kind uint8, off int16, ok bool) {
	reg, n, rest, ok := breg(expr)
	if !ok {
		return 0, 0, false
	}
	off, ok = words(n)
	switch {
	case !ok:
		return 0, 0, false
	case reg == uint64(RSP) && bytes.Equal(rest, savedRSP):
		return CFADeref, off, true
	case reg == regRBP && bytes.Equal(rest, savedRSP):
		return CFADerefFP, off, true
	case reg == uint64(RSP) && bytes.Equal(rest, plusR9):
		return CFADerefR9, off, true
	case reg == regRBP && bytes.Equal(rest, []byte{opDeref}):
		return CFADerefRBP, off, true
	case reg == uint64(RSP) && n == sizeofAddress:
		return pltCFA(rest)
	}
	return 0, 0, false
}

// savedRSP: the caller's rsp, less the return address, is there.
var savedRSP = []byte{opDeref, opPlusUconst, sizeofAddress}

// plusR9 goes on from rsp + n: plus r9 words, there is the caller's rsp, less the return address.
var plusR9 = []byte{opBreg0 + 9, 0, opLit0 + 8, opMul, opPlus, opDeref, opPlusUconst, sizeofAddress}

// pltCFA knows the rest of the linker's rule for its lazy binding stubs of 16 bytes: ((rip & 15) >= N) << 3, plus. N is
// where the stub's push ends: 11 in plain stubs, other where branches are checked (binutils, bfd/elf64-x86-64.c).
func pltCFA(rest []byte) (uint8, int16, bool) {
	head, tail := []byte{opBreg0 + regRA, 0, opLit0 + 15, opAnd}, []byte{opGe, opLit0 + 3, opShl, opPlus}
	if len(rest) != len(head)+1+len(tail) || !bytes.HasPrefix(rest, head) || !bytes.HasSuffix(rest, tail) {
		return 0, 0, false
	}
	lit := rest[len(head)]
	return CFAPLT, int16(lit) - opLit0, lit >= opLit0 && lit <= opLit31
}

// isSignalFrame knows the restorer of signal handlers: __restore_rt in glibc.
func (s *state) isSignalFrame() bool {
	reg, off, rest, ok := breg(s.expr)
	return ok && reg == uint64(RSP) && off == sigRSP && bytes.Equal(rest, []byte{opDeref}) &&
		s.ra.how == atExpr && isRSPPlus(s.ra.expr, sigRIP) && s.rbp.how == atExpr && isRSPPlus(s.rbp.expr, sigRBP)
}

func isRSPPlus(expr []byte, n int64) bool {
	reg, off, rest, ok := breg(expr)
	return ok && reg == uint64(RSP) && off == n && len(rest) == 0
}
