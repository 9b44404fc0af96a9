// Package stack turns the frames that a walk found in V8's code into the functions that run there: names, files,
// lines and columns, inlined functions included. The walk took numbers that the collector cannot change; what they
// stand for is read from the process here, once, and kept.
package stack

import "github.com/hotspan/hotspan/v8/heap"

// Kind is what the code of a Frame is.
type Kind uint8

// The kinds.
const (
	JS      Kind = iota
	Builtin      // compiled into the executable
	Regexp
	Wasm
	JIT // machine code of which no more is known
)

// Tier is the compiler of a JS frame's code.
type Tier uint8

// The tiers.
const (
	NoTier Tier = iota
	Ignition
	Sparkplug
	Maglev
	TurboFan
)

// RawFrame is a frame as the walk found it, before it is resolved.
type RawFrame struct {
	PC       uint64
	Exact    bool      // PC is the next instruction, not a return address
	Marker   int       // type marker of a frame that is not a function's; -1 for none
	Instance heap.Word // word at fp-16 of a frame that is not a function's: WebAssembly's instance
	Argument heap.Word // argument of such a frame: the regular expression
	SFI      heap.Word
	Bytecode heap.Word // word at fp-32
	Offset   int       // Smi at fp-40; -1 = not a Smi
	ID       heap.Identity
}

// Leaf is what else the walk kept of the end of the stack, for repairs.
type Leaf struct {
	Callee RawFrame // the function in rdi: the one that is entered, if a prologue was interrupted
	Words  []uint64 // the stack, from the stack pointer of the first frame in V8's code up
	R10    uint64   // holds the return address while a builtin drops its arguments (MacroAssembler::DropArguments)
}

// Frame is a logical frame. Frames are made once and shared.
type Frame struct {
	Name         string
	File         string
	Line, Column int // 1-based; 0 = unknown
	Kind         Kind
	Tier         Tier
	Inlined      bool
	// Map is the number that Resolver.Maps gave to the frame's script; 0 = it names no source map. Then NameLine and
	// NameColumn are the 1-based place of the identifier that Name is, in the script; 0 = not known.
	Map                  int32
	NameLine, NameColumn int
	// Lost says why name or line are missing; NothingLost if all is known.
	Lost LostReason
}
