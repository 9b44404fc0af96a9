// Package layout tells where a build of V8 keeps things: offsets, tags and enumerators, read from a Node.js binary
// (ELF, x86-64, without pointer compression; V8 9.0 and later).
//
// One table (the table_*.go files) has a row for each Field. A row names the machine code of an exported accessor,
// debugger constants (v8dbg_*) or rules by V8 version, in the order in which they are believed. Every value remembers
// its origin. A V8 of unknown version is tried, not refused: what nothing tells is Unresolved, and what is told by rule
// is noted.
//
// The binary need not be trusted: what is read of it is bounded in size and time. A Layout does not change after Read,
// so any number of goroutines may use it. Package verify compares one with a live process.
package layout

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotV8 says that a file is no ELF binary with V8 in it.
var ErrNotV8 = errors.New("not a V8 binary")

// ErrUnsupported says that a binary has a V8 whose words hotspan cannot read: another architecture than x86-64, or
// pointer compression.
var ErrUnsupported = errors.New("unsupported V8 build")

// State says whether the value of a field is known.
type State uint8

// A zero Value is Unresolved; zero is a fine number for a Known one.
const (
	Unresolved State = iota // nothing tells
	Known                   // N holds
	Absent                  // this V8 has none
)

// Value is the answer for one field.
type Value struct {
	N     int64
	State State
	// Origin says where N comes from: a constant's symbol, a rule with its V8 source file, or a function whose machine
	// code was read.
	Origin string
}

// Range is a piece of a binary: virtual addresses as in its program headers, and the offset in the file.
type Range struct {
	Start, End uint64 // ELF virtual addresses, [Start, End)
	FileOffset uint64 // of Start
}

// Address is the ELF virtual address at which an offset of the file is mapped together with the range.
func (r Range) Address(offset uint64) uint64 { return r.Start - r.FileOffset + offset }

// Layout is what is known of the V8 in one binary. It does not change after Read and is safe for concurrent use.
type Layout struct {
	V8      Version
	Node    string // "24.21.0"; "" when the binary does not say
	BuildID string // lower-case hex of the GNU build id; "" when there is none
	Values  [NumFields]Value
	// Text is the first part of the file that holds machine code.
	Text Range
	// Builtins is the embedded builtins blob; a zero Range when the binary has no symbol for it.
	Builtins Range
	// BytecodeSizes is V8's Bytecodes::kBytecodeSizes: 3*N bytes, the sizes of the N bytecodes without prefix, then
	// with Wide, then with ExtraWide. Nil when the binary has no symbol for it.
	BytecodeSizes []byte
	// TranslationOperands is how many operands each opcode of frame translations has; the last opcode is V8's
	// MATCH_PREVIOUS_TRANSLATION. Nil when the binary has no symbol for it.
	TranslationOperands []byte
	// Handlers has of each Handler V8's number of the builtin, as 16 bits; 0: this V8 has no such builtin. Nil when the
	// binary has no symbol for its builtins. See Layout.Handler.
	Handlers []byte
	// IsolateIndex is the ELF virtual address of the two words by which code of a shared library finds the thread-local
	// pointer to the Isolate, the module and the offset in its block, where IsolateTLS is absent for that; else 0.
	IsolateIndex uint64
	// WasmState is the ELF virtual address of V8's pointer to all that it knows of WebAssembly, which begins with the
	// WasmCodeManager. 0 when the binary has no symbol for it.
	WasmState uint64
	// Notes are plain sentences on what is missing or contradictory.
	Notes []string
}

// At returns the number of a field, or -1 when it is not Known. IsolateTLS is negative also when it is Known: ask Has.
// HeapGCState and others that are offsets are in bytes; Field says of each what it counts.
func (l *Layout) At(f Field) int {
	if !l.Has(f) {
		return -1
	}
	return int(l.Values[f].N)
}

// Has reports whether a field is Known.
func (l *Layout) Has(f Field) bool {
	return f < NumFields && l.Values[f].State == Known
}

// maxLacking is how many fields an error names.
const maxLacking = 3

// Require returns an error that names those of the fields that are not Known, three at most, or nil.
func (l *Layout) Require(fs ...Field) error {
	var missing []string
	for _, f := range fs {
		if !l.Has(f) {
			missing = append(missing, l.lacking(f))
		}
	}
	if missing == nil {
		return nil
	}
	more := ""
	if n := len(missing) - maxLacking; n > 0 {
		missing, more = missing[:maxLacking], fmt.Sprintf(", and %d more", n)
	}
	return fmt.Errorf("layout of V8 %s: %s%s", l.V8, strings.Join(missing, ", "), more)
}

// Resolved is Require for fields that this V8 need not have: those that are Absent will do.
func (l *Layout) Resolved(fs ...Field) error {
	var want []Field
	for _, f := range fs {
		if f >= NumFields || l.Values[f].State != Absent {
			want = append(want, f)
		}
	}
	return l.Require(want...)
}

// Within returns an error that names the first of the fields whose number is not from low to high, or nil; that of a
// field that is not Known is -1. What is used as an index, a shift or a size is checked first: a layout comes from the
// binary that a process chose to run, and is no more to be believed than the memory of that process.
func (l *Layout) Within(low, high int, fs ...Field) error {
	for _, f := range fs {
		if n := l.At(f); n < low || n > high {
			return fmt.Errorf("%v of this V8 is not known, or cannot be %d", f, n)
		}
	}
	return nil
}

func (l *Layout) lacking(f Field) string {
	if f < NumFields && l.Values[f].State == Absent {
		return f.String() + " does not exist in this V8"
	}
	return f.String() + " is unknown"
}

func (l *Layout) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
