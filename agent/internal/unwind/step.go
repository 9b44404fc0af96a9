package unwind

import (
	"io"

	"github.com/hotspan/hotspan/v8/stack"
)

// Step goes from a frame to its caller by the row in force at its address (Table.Lookup). The PC it returns is the
// return address, so look up the byte before it; after a CFASignal row it is the interrupted instruction itself. Step
// reads at most three words of mem, whose offsets are addresses in the process. The walk must check that the caller is
// higher on the stack. The error is stack.ErrRoot in a thread's first frame, and stack.ErrNoRule if the row is no rule
// or needs a register that is known only in the leaf. Other errors come from mem.
func Step(row Row, from stack.Position, mem io.ReaderAt) (stack.Position, error) {
	switch row.CFA {
	case CFAEnd:
		return from, stack.ErrRoot
	case CFASignal:
		return stepSignal(from, mem)
	}
	cfa, err := row.address(from, mem)
	if err != nil {
		return from, err
	}
	bp, err := row.callerBP(from, cfa, mem)
	if err != nil {
		return from, err
	}
	pc, err := word(mem, cfa-8, "return address")
	return stack.Position{PC: pc, SP: cfa, BP: bp}, err
}
