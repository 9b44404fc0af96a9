package unwind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Regs are the registers of a frame which a walk carries along. All are addresses in the process, not in a file.
type Regs struct {
	PC uint64
	SP uint64
	BP uint64 // 0 where it is lost
}

var (
	// ErrEnd is Step's answer in a thread's first frame.
	ErrEnd = errors.New("the thread's first frame")
	// ErrNoRule is Step's answer where no rule is known.
	ErrNoRule = errors.New("no unwind rule")
)

// Step goes from a frame to its caller by the row in force at regs.PC. The PC it returns is the return address, so look
// up the byte before it, but after a CFASignal row it is the interrupted instruction itself. It reads at most three
// words of mem, whose offsets are addresses in the process. Every caller but that of a signal handler's restorer, which
// may run on a stack of its own, is higher on the stack; where it is not, Step returns an error, so a walk ends.
func Step(row Row, regs Regs, mem io.ReaderAt) (Regs, error) {
	switch row.CFA {
	case CFAEnd:
		return regs, ErrEnd
	case CFASignal:
		return stepSignal(regs, mem)
	}
	cfa, err := row.address(regs, mem)
	if err != nil {
		return regs, err
	}
	if cfa <= regs.SP {
		return regs, fmt.Errorf("unwind %#x: CFA %#x is not above rsp %#x", regs.PC, cfa, regs.SP)
	}
	bp, err := row.callerBP(regs, cfa, mem)
	if err != nil {
		return regs, err
	}
	pc, err := word(mem, cfa-8, "return address")
	return Regs{PC: pc, SP: cfa, BP: bp}, err
}

// address returns the canonical frame address.
func (row Row) address(regs Regs, mem io.ReaderAt) (uint64, error) {
	off := 8 * uint64(int64(row.Off))
	switch row.CFA {
	case RSP:
		return regs.SP + off, nil
	case RBP:
		return regs.BP + off, nil
	case CFADeref:
		sp, err := word(mem, regs.SP+off, "saved rsp")
		return sp + 8, err
	case CFADerefFP:
		sp, err := word(mem, regs.BP+off, "saved rsp")
		return sp + 8, err
	case CFADerefRBP:
		return word(mem, regs.BP+off, "saved CFA")
	case CFAPLT:
		if int16(regs.PC&15) >= row.Off {
			return regs.SP + 16, nil
		}
		return regs.SP + 8, nil
	}
	if row.CFA < numRegs || row.CFA == CFADerefR9 {
		return 0, fmt.Errorf("unwind %#x: CFA is in register %d, known only in the leaf: %w", regs.PC, row.register(), ErrNoRule)
	}
	return 0, fmt.Errorf("unwind %#x: %w", regs.PC, ErrNoRule)
}

// register is the one that the rule asks for.
func (row Row) register() uint8 {
	if row.CFA == CFADerefR9 {
		return 9
	}
	return row.CFA
}

func (row Row) callerBP(regs Regs, cfa uint64, mem io.ReaderAt) (uint64, error) {
	switch row.RBP {
	case RBPSame:
		return regs.BP, nil
	case RBPLost:
		return 0, nil
	case RBPAtRBP:
		return word(mem, regs.BP, "saved rbp")
	}
	return word(mem, cfa+8*uint64(int64(row.RBP)), "saved rbp")
}

// stepSignal goes from the restorer of a signal handler to what the signal interrupted.
func stepSignal(regs Regs, mem io.ReaderAt) (Regs, error) {
	bp, err := word(mem, regs.SP+sigRBP, "interrupted rbp")
	if err != nil {
		return regs, err
	}
	sp, err := word(mem, regs.SP+sigRSP, "interrupted rsp")
	if err != nil {
		return regs, err
	}
	pc, err := word(mem, regs.SP+sigRIP, "interrupted rip")
	return Regs{PC: pc, SP: sp, BP: bp}, err
}

func word(mem io.ReaderAt, addr uint64, what string) (uint64, error) {
	var b [8]byte
	if n, err := mem.ReadAt(b[:], int64(addr)); n < len(b) {
		return 0, fmt.Errorf("read %s at %#x: %w", what, addr, err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}
