package unwind

import "math"

// The two registers whose rules matter, in DWARF numbering (System V ABI for x86-64, figure 3.36).
const (
	regRBP = uint64(RBP)
	regRA  = 16
)

// place says where the caller's value of a register is.
type place struct {
	how  where
	off  int64  // atCFA: bytes from the CFA
	expr []byte // atExpr: the DWARF expression that yields its address
}

type where uint8

const (
	unspecified where = iota // for rbp: unchanged
	undefined
	atCFA
	atExpr
	elsewhere // in another register, or computed
)

// state is what a call frame program has said by some address.
type state struct {
	reg    uint64 // CFA = reg + off, unless expr is set
	off    int64
	expr   []byte // the DWARF expression that yields the CFA
	rbp    place
	ra     place
	kept   [numKept]place
	broken bool // the program could not be followed up to here
}

// row puts the state into the closed form. False means it does not fit, and the row is CFANone.
func (s *state) row() (Row, bool) {
	switch {
	case s.broken:
		return Row{CFA: CFANone}, false
	case s.ra.how == undefined:
		return Row{CFA: CFAEnd}, true
	case s.isSignalFrame():
		return Row{CFA: CFASignal}, true
	case s.ra.how != atCFA || s.ra.off != -8:
		return Row{CFA: CFANone}, false
	}
	kind, off, ok := s.cfa()
	if !ok {
		return Row{CFA: CFANone}, false
	}
	return Row{CFA: kind, RBP: s.rbpRule(), Off: off}, true
}

// cfa finds kind and offset of the canonical frame address.
func (s *state) cfa() (uint8, int16, bool) {
	if s.expr != nil {
		return expressionCFA(s.expr)
	}
	off, ok := words(s.off)
	return uint8(s.reg), off, ok && s.reg < numRegs
}

func (s *state) rbpRule() int8 {
	switch s.rbp.how {
	case unspecified:
		return RBPSame
	case atCFA:
		off, ok := words(s.rbp.off)
		if ok && off != 0 && off > math.MinInt8+1 && off <= math.MaxInt8 {
			return int8(off)
		}
	case atExpr:
		if reg, off, rest, ok := breg(s.rbp.expr); ok && reg == regRBP && off == 0 && len(rest) == 0 {
			return RBPAtRBP
		}
	}
	return RBPLost
}

// words converts bytes to units of 8.
func words(n int64) (int16, bool) {
	w := n / 8
	return int16(w), n%8 == 0 && w >= math.MinInt16 && w <= math.MaxInt16
}
