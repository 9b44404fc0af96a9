// Package functions finds the functions that run in the frames of V8's code.
//
// A Resolver turns the raw frames of package stack into functions: names, files, lines and columns, inlined functions
// included. It reads the process for that, once for each function, and keeps what it has read within fixed limits.
//
//	for _, raw := range resolver.Repair(frame, walk.Leaf) {
//		for _, f := range resolver.Resolve(raw) {
//			fmt.Println(f.Name, f.File, f.Line)
//		}
//	}
//
// What the walk took for the leaf's frame may be its caller's: package repair corrects that. What rests on x86-64 is in
// the files x86_*.go, and reads machine code by package x86.
package functions

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
	// NameColumn are the 1-based place of the identifier that Name is, in the script; 0 = not known. If Name has a dot
	// or a parenthesis, V8 has made it up, or "(anonymous)", and they are that of the function's parameter list.
	Map                  int32
	NameLine, NameColumn int
	// Lost says why name or line are missing; NothingLost if all is known.
	Lost LostReason
}

// goneFrame stands for frames that are not known.
var goneFrame = &Frame{Name: "[code gone]", Kind: JIT, Lost: LostCode}
