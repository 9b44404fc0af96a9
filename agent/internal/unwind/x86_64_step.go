package unwind

import (
	"fmt"
	"io"

	"github.com/hotspan/hotspan/v8/stack"
)

// address returns the canonical frame address.
func (row Row) address(from stack.Position, mem io.ReaderAt) (uint64, error) {
	off := 8 * uint64(int64(row.Off))
	switch row.CFA {
	case RSP:
		return from.SP + off, nil
	case RBP:
		return from.BP + off, nil
	case CFADeref:
		sp, err := word(mem, from.SP+off, "saved rsp")
		return sp + 8, err
	case CFADerefFP:
		sp, err := word(mem, from.BP+off, "saved rsp")
		return sp + 8, err
	case CFADerefRBP:
		return word(mem, from.BP+off, "saved CFA")
	case CFAPLT:
		if int16(from.PC&15) >= row.Off {
			return from.SP + 16, nil
		}
		return from.SP + 8, nil
	}
	register := row.CFA
	if row.CFA == CFADerefR9 {
		register = regR9
	}
	switch {
	case register >= numRegs:
		return 0, fmt.Errorf("unwind %#x: %w", from.PC, stack.ErrNoRule)
	case from.Registers == nil:
		return 0, fmt.Errorf("unwind %#x: CFA is in register %d, known only in the leaf: %w", from.PC, register,
			stack.ErrNoRule)
	case row.CFA == CFADerefR9:
		sp, err := word(mem, from.SP+8*from.Registers.General[register]+off, "saved rsp")
		return sp + 8, err
	}
	return from.Registers.General[row.CFA] + off, nil
}

func (row Row) callerBP(from stack.Position, cfa uint64, mem io.ReaderAt) (uint64, error) {
	switch row.RBP {
	case RBPSame:
		return from.BP, nil
	case RBPLost:
		return 0, nil
	case RBPAtRBP:
		return word(mem, from.BP, "saved rbp")
	}
	return word(mem, cfa+8*uint64(int64(row.RBP)), "saved rbp")
}

// stepSignal goes from the restorer of a signal handler to what the signal interrupted.
func stepSignal(from stack.Position, mem io.ReaderAt) (stack.Position, error) {
	bp, err := word(mem, from.SP+sigRBP, "interrupted rbp")
	if err != nil {
		return from, err
	}
	sp, err := word(mem, from.SP+sigRSP, "interrupted rsp")
	if err != nil {
		return from, err
	}
	pc, err := word(mem, from.SP+sigRIP, "interrupted rip")
	return stack.Position{PC: pc, SP: sp, BP: bp, Exact: true}, err
}
