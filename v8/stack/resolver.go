package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Limits of what is kept of one process. Over one of them its cache starts anew.
const (
	maxFunctions = 1 << 16
	maxPoints    = 1 << 17
	maxScripts   = 1 << 14
)

// Resolver resolves the frames of one process. What it has read it keeps, within fixed limits (maxFunctions and
// others), and over a limit it starts anew. It is not safe for concurrent use.
type Resolver struct {
	// Maps is told of each script that names a source map. nil: nobody asks. The number that it gives back is the Map
	// of the script's frames.
	Maps func(MappedScript) int32

	r         *heap.Reader
	space     AddressSpace
	functions map[heap.Identity]*function
	scripts   map[int32]*script
	points    map[point][]*Frame
	code      codes
	wasm      wasm
	builtin   map[uint64]*Frame // by first address
	owners    map[heap.Word]owner
	misses    map[uint64]uint64 // epoch of the sample that found no code at a pc
}

// owner is the function that a BytecodeArray was seen to be of.
type owner struct {
	id  heap.Identity
	sfi heap.Word
}

// point is a point of execution in bytecode or, where code is set, in machine code.
type point struct {
	id    heap.Identity
	code  *code
	at    int
	tier  Tier
	exact bool
}

// NewResolver resolves frames of the process that r reads, with the mappings that space knows. Both are used only while
// a method runs.
func NewResolver(r *heap.Reader, space AddressSpace) *Resolver {
	return &Resolver{
		r: r, space: space,
		functions: map[heap.Identity]*function{},
		scripts:   map[int32]*script{},
		points:    map[point][]*Frame{},
		builtin:   map[uint64]*Frame{},
		owners:    map[heap.Word]owner{},
		misses:    map[uint64]uint64{},
		wasm:      wasm{modules: map[uint64]*wasmModule{}, codes: map[uint64]*wasmCode{}},
	}
}

// Begin starts a sample. Call it once before the frames of each: V8 may have changed its code since the last one, so
// what was checked then is checked again.
func (v *Resolver) Begin() { v.code.epoch++ }

func (v *Resolver) keep(key point, fs ...*Frame) []*Frame {
	if len(v.points) >= maxPoints {
		clear(v.points)
	}
	v.points[key] = fs
	return fs
}

func (fn *function) frame(t Tier) *Frame {
	f := &Frame{Name: fn.name, Kind: JS, Tier: t}
	if fn.script == nil {
		f.Kind, f.Tier = Builtin, NoTier
	} else {
		f.File, f.Map = fn.script.Name, fn.script.sourceMap
		f.NameLine, f.NameColumn = fn.nameLine, fn.nameColumn
	}
	return f
}

var staleFrames [TurboFan + 1][]*Frame

func init() {
	for t := range staleFrames {
		staleFrames[t] = []*Frame{{Name: "[stale function]", Kind: JS, Tier: Tier(t), Lost: LostFunction}}
	}
}

// stale is the frame of a function that was collected or moved before it could be read.
func stale(t Tier) []*Frame { return staleFrames[t] }
