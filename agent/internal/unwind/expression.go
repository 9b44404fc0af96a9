package unwind

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

// breg splits "register plus constant" off an expression.
func breg(expr []byte) (reg uint64, off int64, rest []byte, ok bool) {
	if len(expr) == 0 || expr[0] < opBreg0 || expr[0] > opBreg31 {
		return 0, 0, nil, false
	}
	r := reader{b: expr[1:]}
	off = r.sleb()
	return uint64(expr[0] - opBreg0), off, r.b, !r.short
}
