package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Resolver resolves the frames of one process. What it has read it keeps, within fixed limits (maxFunctions and
// others), and over a limit it starts anew. It is not safe for concurrent use.
type Resolver struct {
	// Maps is told of each script that names a source map. nil: nobody asks. The number that it gives back is the Map
	// of the script's frames.
	Maps func(MappedScript) int32

	*isolate // of the current sample

	r        *heap.Reader
	space    AddressSpace
	isolates map[isolateKey]*isolate
	code     codes
	wasm     wasm
	builtin  map[string]*Frame // by name
	basis    basis             // of the current sample
	late     bool              // the current sample was taken some time ago
	forgot   bool              // a cache began anew: see Forgot
}

// NewResolver resolves frames of the process that r reads, with the mappings that space knows. Both are used only while
// a method runs.
func NewResolver(r *heap.Reader, space AddressSpace) *Resolver {
	return &Resolver{
		isolate: newIsolate(isolateKey{}), r: r, space: space,
		isolates: map[isolateKey]*isolate{},
		builtin:  map[string]*Frame{},
		wasm:     wasm{modules: map[uint64]*wasmModule{}, codes: map[uint64]*wasmCode{}},
	}
}

// Begin starts a sample of a thread that has entered an isolate; 0 = none, or not known. Call it before the frames
// of each. late says that the sample was taken so long ago that V8 may have used the place of code again since.
func (v *Resolver) Begin(isolate uint64, thread int, late bool) {
	v.enter(isolateKey{isolate, thread})
	v.basis.codes, v.basis.passing = v.basis.codes[:0], false
	v.late = late
}

// Forgot reports whether the Resolver has forgotten anything that it had read, since the last call.
func (v *Resolver) Forgot() bool {
	forgot := v.forgot
	v.forgot = false
	return forgot
}

// enter makes an isolate the current one.
func (v *Resolver) enter(key isolateKey) {
	i := v.isolates[key]
	if i == nil {
		if len(v.isolates) >= maxIsolates {
			v.dropOldestIsolate()
		}
		i = newIsolate(key)
		v.isolates[key] = i
	}
	i.used = v.code.epoch
	v.isolate = i
}

func (v *Resolver) dropOldestIsolate() {
	var oldest isolateKey
	least := v.code.epoch
	for key, i := range v.isolates {
		if i.used <= least {
			oldest, least = key, i.used
		}
	}
	delete(v.isolates, oldest)
	v.forgot = true
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

// Codes is how many pieces of V8's code are kept.
func (r *Resolver) Codes() int { return len(r.code.all) }
