// Package pprofx is the data model of a profile: samples, and immutable snapshots of them. It does not depend on V8, on
// BPF or on where samples come from.
//
// A Builder collects samples and cuts them by time into snapshots. Packages pprof, jsonl, text, page and viewers write
// snapshots as files, each by a Writer; package sourcemap maps one back to the original sources, and package otlp sends
// one.
//
// Times are Unix time in nanoseconds. A Snapshot and all that it points to are never changed after Cut, so any number
// of goroutines may read one at the same time; a Builder belongs to one goroutine.
package pprofx

import (
	"path"
	"strconv"
)

// Kind is the kind of code that a frame runs.
type Kind uint8

// The kinds of frame.
const (
	JS      Kind = iota // a JavaScript function
	Builtin             // a builtin of V8, compiled into the executable
	Regexp              // a compiled regular expression
	Wasm                // a WebAssembly function
	Native              // C, C++ or assembly of the executable or a library
	Kernel              // code of the kernel
	JIT                 // machine code made at run time, of unknown origin or by another JIT than V8
	Marker              // not code: a note about the stack, such as frames left out
)

var kindNames = [...]string{"js", "builtin", "regexp", "wasm", "native", "kernel", "jit", "marker"}

// String returns the name that stands in JSON lines, such as "js"; Kind(9) for an unknown number.
func (k Kind) String() string { return nameOf("Kind", kindNames[:], uint8(k)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (k *Kind) UnmarshalText(text []byte) error { return parseName(k, "Kind", kindNames[:], text) }

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

// String returns the name that stands in JSON lines, such as "turbofan"; empty for NoTier, Tier(9) for an unknown
// number.
func (t Tier) String() string { return nameOf("Tier", tierNames[:], uint8(t)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (t *Tier) UnmarshalText(text []byte) error { return parseName(t, "Tier", tierNames[:], text) }

// State is what the VM of the sampled thread was doing: V8's own VM state (StateTag in V8's src/common/globals.h).
type State uint8

// The VM states. V8 stays in StateJS while C++ called from JavaScript runs. A thread without a VM has StateOther.
const (
	StateOther State = iota
	StateJS
	StateGC
	StateCompiler
	StateExternal
	StateIdle
)

var stateNames = [...]string{"other", "js", "gc", "compiler", "external", "idle"}

// String returns the name that stands in JSON lines and labels, such as "gc"; State(9) for an unknown number.
func (s State) String() string { return nameOf("State", stateNames[:], uint8(s)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (s *State) UnmarshalText(text []byte) error { return parseName(s, "State", stateNames[:], text) }

// Frame is one logical frame of a stack: an inlined function is a frame of its own. Frames are compared by value:
// two are the same only if all fields are equal.
type Frame struct {
	Function string // never empty: "[unknown]" if nothing is known of the frame, else see FileFunction
	File     string // source file or URL; empty where there is none
	Line     int    // 1-based line of the point of execution; 0 if unknown
	Column   int    // 1-based column in UTF-16 code units; 0 if unknown
	Kind     Kind
	Tier     Tier   // of a JS frame; else NoTier
	Inlined  bool   // its code is part of the next frame towards the root
	Module   string // path of the file that holds native code, or names another JIT's; "[kernel]" for the kernel
	BuildID  string // GNU build ID of Module, lower-case hexadecimal; empty if it has none
	Address  uint64 // native: address as in Module's ELF symbols; kernel: virtual address; else 0

	// Where to look a frame of generated code up in its source map. sourcemap.Apply does it and sets all three to 0. If
	// Function has a dot or a parenthesis, as "(anonymous)", then NameLine and NameColumn are that of its parameters.
	Map                  int32 // number of the script that has the map; 0 = there is no map
	NameLine, NameColumn int   // 1-based position of the function's identifier in the generated code; 0 = unknown
}

// FileFunction is the Function of code for which its file has no symbol: the file's name in brackets, as pprof shows
// it.
func FileFunction(module string) string {
	if module == "" || module[0] == '[' {
		return "[unknown]"
	}
	return "[" + path.Base(module) + "]"
}

// ContextLabel is the label that numbers the contexts of the npm package hotspan. Only profiles that the package asks
// for have it: each context has another value.
const ContextLabel = "hotspan.context"

// ProbeLabel is the label with the probe whose hit a sample is, as the user asked for it.
const ProbeLabel = "hotspan.probe"

// CPULabel is the label that says of a sample of WallTime whether its thread was on a CPU: "on", or "off" of a wait.
const CPULabel = "hotspan.cpu"

// Label is one key and value of a sample. The value is Str, or Num if Str is empty.
type Label struct {
	Key  string
	Str  string
	Num  int64
	Unit string // unit of Num; empty for a plain number
}

// Text returns the value as text: Str, or Num and Unit.
func (l *Label) Text() string {
	if l.Str != "" {
		return l.Str
	}
	return strconv.FormatInt(l.Num, 10) + l.Unit
}

// Sample is one observation of one thread.
type Sample struct {
	Time   int64 // Unix time in nanoseconds
	PID    int
	TID    int
	Thread string // name of the thread
	CPU    int    // logical CPU, less than 65,536
	State  State
	Stop   StopReason
	Stack  []*Frame // leaf first; the frames are shared between samples, never changed
	Shared bool     // the Stack slice never changes either: a Builder may recognise it by its address
	Turn   uint64   // of the event loop that the thread runs, see Row; 0 = not known
	Start  int64    // when the request began by its tracer, Unix time in nanoseconds; 0 = not known
	Weight int64    // how much of the Measure it stands for, in its unit: of OffCPU how long it waited until Time
	Others int      // see Row
	Labels []Label  // of the request that ran, sorted by Key, each Key once; shared, never changed
}
