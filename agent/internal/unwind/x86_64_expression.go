package unwind

import "bytes"

// expressionCFA returns kind and offset of a Row for the CFA expressions that compilers, linkers and OpenSSL's assembly
// write.
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

// savedRSP is the rest of an expression whose address holds the caller's rsp, less the return address.
var savedRSP = []byte{opDeref, opPlusUconst, sizeofAddress}

// plusR9 is the rest of an expression that adds r9 words; that address holds the caller's rsp, less the return address.
var plusR9 = []byte{opBreg0 + regR9, 0, opLit0 + 8, opMul, opPlus, opDeref, opPlusUconst, sizeofAddress}

// pltCFA matches the rest of the linker's rule for its lazy binding stubs of 16 bytes: ((rip & 15) >= N) << 3, plus. N
// is where the stub's push ends: 11 in plain stubs, another value where branches are checked (binutils,
// bfd/elf64-x86-64.c).
func pltCFA(rest []byte) (uint8, int16, bool) {
	head, tail := []byte{opBreg0 + regRA, 0, opLit0 + 15, opAnd}, []byte{opGe, opLit0 + 3, opShl, opPlus}
	if len(rest) != len(head)+1+len(tail) || !bytes.HasPrefix(rest, head) || !bytes.HasSuffix(rest, tail) {
		return 0, 0, false
	}
	lit := rest[len(head)]
	return CFAPLT, int16(lit) - opLit0, lit >= opLit0 && lit <= opLit31
}

// isSignalFrame recognizes the restorer of signal handlers: __restore_rt in glibc.
func (s *state) isSignalFrame() bool {
	reg, off, rest, ok := breg(s.expr)
	return s.signal || ok && reg == uint64(RSP) && off == sigRSP && bytes.Equal(rest, []byte{opDeref}) &&
		s.ra.how == atExpr && isRSPPlus(s.ra.expr, sigRIP) && s.rbp.how == atExpr && isRSPPlus(s.rbp.expr, sigRBP)
}

func isRSPPlus(expr []byte, n int64) bool {
	reg, off, rest, ok := breg(expr)
	return ok && reg == uint64(RSP) && off == n && len(rest) == 0
}
