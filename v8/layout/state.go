package layout

// VMState is what V8 does in an isolate: the value at IsolateVMState. (v8::StateTag of include/v8-unwinder.h)
type VMState uint8

// The VM states. Their numbers are the same in every V8 that hotspan knows.
const (
	VMStateJS VMState = iota
	VMStateGC
	VMStateParser
	VMStateBytecodeCompiler
	VMStateCompiler
	VMStateOther
	VMStateExternal // in C++ that JavaScript has called
	VMStateAtomicsWait
	VMStateIdle
	VMStateLogging
	VMStateIdleExternal // from V8 14.6 on
)

// GCState is which collection runs: the value at HeapGCState. (Heap::HeapState of src/heap/heap.h)
type GCState uint32

// The states of the heap.
const (
	NotInGC GCState = iota
	Scavenge
	MarkCompact
	MinorMarkSweep // minor mark-compact until V8 11
	TearDown
)
