// Package pprofx holds what a profiler produces: samples, immutable snapshots of them, and the forms they are
// written in. It knows nothing of V8, of BPF or of where samples come from.
package pprofx

// Kind says what sort of code a frame runs.
type Kind uint8

// The kinds of frame.
const (
	JS      Kind = iota // a JavaScript function
	Builtin             // a builtin of V8, compiled into the executable
	Regexp              // a compiled regular expression
	Wasm                // a WebAssembly function
	Native              // C, C++ or assembly of the executable or a library
	Kernel              // the kernel
	JIT                 // machine code made at run time of which no more is known
	Marker              // not code: says something about the stack, such as frames left out
)

var kindNames = [...]string{"js", "builtin", "regexp", "wasm", "native", "kernel", "jit", "marker"}

func (k Kind) String() string { return nameOf("Kind", kindNames[:], uint8(k)) }

// Tier is the V8 compiler that made the code of a JS frame.
type Tier uint8

// The tiers, and NoTier for frames that are not JavaScript.
const (
	NoTier Tier = iota
	Ignition
	Sparkplug
	Maglev
	TurboFan
)

var tierNames = [...]string{"", "ignition", "sparkplug", "maglev", "turbofan"}

func (t Tier) String() string { return nameOf("Tier", tierNames[:], uint8(t)) }

// State is what the VM of the sampled thread was doing, as V8 itself keeps account of it.
type State uint8

// The VM states. V8 stays in StateJS while C++ called from JavaScript runs. A thread without a VM is StateOther.
const (
	StateOther State = iota
	StateJS
	StateGC
	StateCompiler
	StateExternal
	StateIdle
)

var stateNames = [...]string{"other", "js", "gc", "compiler", "external", "idle"}

func (s State) String() string { return nameOf("State", stateNames[:], uint8(s)) }

// Frame is one logical frame of a stack: an inlined function is a frame of its own. Frames are compared by value:
// two are the same only if all fields are equal.
type Frame struct {
	Function string // never empty: a frame of which nothing is known is named for that, "[unknown]"
	File     string // source file or URL; empty where there is none
	Line     int    // 1-based line of the point of execution; 0 where unknown
	Column   int    // 1-based column, in UTF-16 units; 0 where unknown
	Kind     Kind
	Tier     Tier
	Inlined  bool   // its code is part of the next frame towards the root
	Module   string // path of the file that holds native code; "[kernel]" for the kernel
	BuildID  string // GNU build id of Module, lower-case hex; empty where it has none
	Address  uint64 // native: address as in Module's ELF symbols; kernel: address; else 0

	// What a frame of generated code carries until its source map is applied (package sourcemap); then all are 0.
	Map                  int32 // a number for the script that names the map; 0 = there is none
	NameLine, NameColumn int   // 1-based place of the identifier that is Function in the generated code; 0 = not known
}

// Label is one key and value of a sample. Num counts only where Str is empty.
type Label struct {
	Key  string
	Str  string
	Num  int64
	Unit string // unit of Num, empty for a plain number
}

// Sample is one observation of one thread.
type Sample struct {
	Time   int64 // Unix time in nanoseconds
	PID    int
	TID    int
	Thread string // name of the thread
	CPU    int
	State  State
	Stop   StopReason
	Stack  []*Frame // leaf first; shared between samples, never changed
	Labels []Label  // of the request that ran, sorted by Key, each Key once; shared, never changed
}
