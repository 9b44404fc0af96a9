package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Limits of what is kept of one isolate. Over one of them its cache starts anew.
const (
	maxFunctions = 1 << 16
	maxPoints    = 1 << 17
	maxScripts   = 1 << 14
)

// maxIsolates bounds the isolates of which something is kept: a process may start workers all day.
const maxIsolates = 64

// isolateKey names an isolate. Each counts its scripts from 1, so the same numbers are other functions in another
// isolate. Its address alone does not name it: that is used again when a worker has ended, but by another thread.
type isolateKey struct {
	address uint64
	thread  int
}

// isolate is what is known of one isolate's JavaScript.
type isolate struct {
	key        isolateKey
	number     uint64
	times      times
	before     *isolate  // that was at its address
	codeHeader heap.Word // hidden class of its InstructionStreams; 0: not found yet
	scriptList uint64    // where it has the list of its scripts; 0: not found yet
	sought     uint64    // round after that in which it was sought last
	functions  map[heap.Identity]*function
	scripts    map[int32]*script
	points     map[point][]*Frame
	misses     misses
	compacts   uint64 // mark-compacts, and 1, that it had had when code was last checked; 0 = not known
	checked    uint64 // round in which it was last found to live
	seen       int64  // when that round began
	used       uint64 // round of its last sample
}

// point is a point of execution in bytecode or, where code is set, in machine code.
type point struct {
	fn       *function      // nil: the frame does not tell
	bytecode *heap.Bytecode // that the interpreter runs; nil in machine code
	code     *code
	at       int
	tier     Tier
	exact    bool
}

func newIsolate(key isolateKey, number uint64) *isolate {
	return &isolate{
		key:       key,
		number:    number,
		functions: map[heap.Identity]*function{},
		scripts:   map[int32]*script{},
		points:    map[point][]*Frame{},
		misses:    misses{},
	}
}
