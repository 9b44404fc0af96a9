package stack

import (
	"errors"
	"io"

	"github.com/hotspan/hotspan/v8/target"
)

// Position is a frame as a walk carries it: addresses in the process.
type Position struct {
	PC, SP, BP uint64 // BP is 0 where it is lost
	Exact      bool   // PC is the next instruction, not a return address
	// Registers are the leaf's. They stay for its caller, whose unwind rule may ask for callee-saved ones; then they
	// are nil.
	Registers *target.Registers
}

// Code is whose code is at an address.
type Code uint8

// Whose it is.
const (
	NoCode Code = iota
	NativeCode
	V8Code // made at run time, or V8's builtins: with frame pointers
)

// Unwinder knows the code of a process, and the unwind rules of what is not V8's.
type Unwinder interface {
	// Code tells whose code is at an address.
	Code(pc uint64) Code
	// Step goes from a frame to its caller by the unwind rule that is in force at an address. The error is ErrRoot in a
	// thread's first frame, ErrNoRule where no rule is known; any other says that memory could not be read.
	Step(at uint64, from Position, mem io.ReaderAt) (Position, error)
}

// What an Unwinder answers where there is no caller.
var (
	ErrRoot   = errors.New("the thread's first frame")
	ErrNoRule = errors.New("no unwind rule")
)
