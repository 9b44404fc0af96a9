package unwind

import "math"

// row encodes a state as a Row. It is false if a Row cannot express the state; the row is CFANone then.
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

// cfa returns kind and offset of the canonical frame address.
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

// keptAt returns the saved place of a register, by its index in keptRegisters.
func (s *state) keptAt(i int) int16 {
	p := s.kept[i]
	switch {
	case s.broken:
		return KeptLost
	case p.how == unspecified:
		return KeptSame
	case p.how == atCFA:
		if off, ok := words(p.off); ok && off != KeptSame {
			return off
		}
	}
	return KeptLost
}
