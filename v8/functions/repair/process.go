package repair

import (
	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/stack"
)

// Process is what a repair asks: what is in the memory of a process, and whose code that is.
type Process interface {
	// Builtin finds a builtin of V8.
	builtins.Space
	// Generated reports whether an address is in memory for code that is made at run time.
	Generated(pc uint64) bool
	// Bytes reads n bytes of memory.
	Bytes(at uint64, n int) ([]byte, error)
	// Code finds the code for JavaScript that holds an address, or ends there.
	Code(pc uint64) (Code, bool)
	// Wasm finds the code for WebAssembly that holds an address.
	Wasm(pc uint64) (Code, bool)
	// Enters reports whether the code at pc is that of the function in rdi.
	Enters(pc uint64, callee stack.RawFrame) bool
	// Runs reports whether the code at pc is known to be that of a frame's function.
	Runs(pc uint64, raw stack.RawFrame) bool
	// Interprets reports whether a function's frame in a builtin is the interpreter's.
	Interprets(name string, raw stack.RawFrame) bool
	// Exported reports whether a frame's function is one that WebAssembly exports: its code is a wrapper.
	Exported(raw stack.RawFrame) bool
}

// Code is a piece of machine code that V8 made at run time.
type Code struct {
	Kind       Kind
	Start, End uint64
	Text       []byte            // its first instructions, as far as they are kept
	ID         heap.Identity     // of the function; Script -1: there is none, or the code does not tell
	SFI        heap.Word         //
	Known      bool              // what it was compiled from is known: a function that does not run it is another one
	Optimized  *optimized.Tables // the tables of optimised code; nil: it is other code, or they are not known
}

// Kind is what code is.
type Kind uint8

// The kinds.
const (
	Other    Kind = iota // of no function, such as a regular expression's
	Function             // of a function of JavaScript
	Entry                // a copy of the interpreter's entry, of a function's own
	Jumps                // WebAssembly's table of jumps to functions: it has no frame, and leaves the stack as it is
)

// HeadSize is how many bytes of a piece of code are looked through for its prologue, which lies within them: Text needs
// no more.
const HeadSize = 192

func (c Code) head() []byte { return c.Text[:min(len(c.Text), HeadSize)] }

// inDeoptExits reports whether an address is behind the code proper, where the deoptimiser is called. Of the builtins
// without a frame only the deoptimiser's own return there.
func (c Code) inDeoptExits(pc uint64) bool {
	return c.Optimized != nil && c.Optimized.InDeoptExits(int(pc-c.Start))
}
