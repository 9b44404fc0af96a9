// Package stack walks the stacks of a process that runs V8, and names their frames.
//
// A Walker takes the stack of a thread from memory and registers. It is the specification of the walk that the BPF
// program does. What it finds, a RawFrame of each call, has numbers that the collector cannot change. A Resolver turns
// the raw frames of V8's code into the functions that run there: names, files, lines and columns, inlined functions
// included. It reads the process for that, once for each function, and keeps what it has read within fixed limits.
//
//	for _, raw := range resolver.Repair(frame, walk.Leaf) {
//		for _, f := range resolver.Resolve(raw) {
//			fmt.Println(f.Name, f.File, f.Line)
//		}
//	}
//
// What rests on x86-64 is in the files x86_*.go, and reads machine code by package x86.
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

// RawFrame is a frame as the walk found it, before it is resolved. Addresses are the process's.
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

// Leaf is what else a walk kept of the first frame in V8's code, for Resolver.Repair.
type Leaf struct {
	Callee RawFrame // the function in rdi: the one that is entered, if a prologue was interrupted
	Words  []uint64 // the stack, from the stack pointer of the first frame in V8's code up
	R10    uint64   // holds the return address while a builtin drops its arguments (MacroAssembler::DropArguments)
}

// Frame is a logical frame: one call of a function, inlined or not. Frames are made once and shared: do not change
// them.
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
