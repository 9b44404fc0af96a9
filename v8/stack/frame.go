// Package stack walks the stacks of a process that runs V8.
//
// A Walker takes the stack of a thread from memory and registers. It is the specification of the walk that the BPF
// program does. What it finds, a RawFrame of each call, has numbers that the collector cannot change; package functions
// finds the functions by them.
//
// What rests on x86-64 is in the files x86_*.go.
package stack

import "github.com/hotspan/hotspan/v8/heap"

// RawFrame is a frame as the walk found it, before its function is known. Addresses are the process's.
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

// Leaf is what else a walk kept of the first frame in V8's code, for package repair.
type Leaf struct {
	Callee RawFrame // the function in rdi: the one that is entered, if a prologue was interrupted
	Words  []uint64 // the stack, from the stack pointer of the first frame in V8's code up
	SP, BP uint64   // of the stack's first frame, whatever code that is in
	// RAX and the following hold the return address while builtins drop or insert arguments: see x86.ReturnAddress.
	RAX, RCX, R8, R10 uint64
	R9                uint64 // holds the offset of the bytecode that the interpreter is at
}
