package functions

import (
	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/heap"
)

// Resolver resolves the frames of one process. What it has read it keeps, within fixed limits (maxFunctions and
// others), and over a limit it starts anew. It is not safe for concurrent use.
type Resolver struct {
	// Maps is told of each script that names a source map. nil: nobody asks. The number that it gives back is the Map
	// of the script's frames.
	Maps func(MappedScript) int32
	// Started is when the process began, in nanoseconds of its CLOCK_MONOTONIC. 0: isolates that live one after the
	// other at one address, on one thread, are taken for one.
	Started int64
	// Now reads the same clock. nil: the process does not run, or frames are named as they are now.
	Now func() int64

	*isolate // of the current sample

	r         *heap.Reader // of the current isolate: one of the next two
	live      *heap.Reader
	gone      *heap.Reader // of an isolate that is no more
	space     AddressSpace
	isolates  map[isolateKey]*isolate
	unknown   *isolate // one of which nothing is known
	met       uint64   // how many isolates were met
	code      codes
	wasm      wasmKept
	builtin   map[string]*Frame // by name
	repairer  *repair.Repairer
	basis     basis       // of the current sample
	renewed   int64       // when Renew was called
	moment    Moment      // of the current sample
	compacted bool        // a mark-compact has begun since the current sample
	room      room        // for what is kept
	vain      heap.Effort // of looking for code where there is none
	naming    heap.Effort
	counted   int  // work of live that is counted in it
	evals     int  // scripts that were evaluated whose origin is being looked for
	forgot    bool // a cache began anew: see Forgot
}

// NewResolver resolves frames of the process that r reads, with the mappings that space knows. Both are used only while
// a method runs.
func NewResolver(r *heap.Reader, space AddressSpace) *Resolver {
	unknown := newIsolate(isolateKey{}, 0)
	return &Resolver{
		isolate: unknown, unknown: unknown, r: r, live: r,
		gone: heap.NewReader(noMemory{}, r.Layout()), space: space,
		isolates: map[isolateKey]*isolate{},
		builtin:  map[string]*Frame{},
		repairer: repair.New(r.Layout()),
		wasm:     newWasm(),
		vain:     heap.NewEffort(maxVain, maxVain),
	}
}

// Moment is what tells to which of the things that come and go the frames of a sample refer.
type Moment struct {
	Isolate      uint64 // that the thread has entered; 0 = none, or not known
	Thread       int
	Taken        int64  // when, on the clock of Started
	MarkCompacts uint64 // that the isolate had had, and 1; 0 = not known, or one was under way
}

func (v *Resolver) now() int64 {
	if v.Now == nil {
		return 0
	}
	return v.Now()
}

// Begin starts a sample. Call it before the frames of each.
func (v *Resolver) Begin(m Moment) {
	v.enter(isolateKey{m.Isolate, m.Thread}, m.Taken)
	v.basis.codes, v.basis.passing = v.basis.codes[:0], false
	v.moment, v.compacted = m, false
}

// Forgot reports whether the Resolver has forgotten anything that it had read, since the last call.
func (v *Resolver) Forgot() bool {
	forgot := v.forgot
	v.forgot = false
	return forgot
}

// Isolate is a number of the isolate of the current sample. Another one at its address has another number.
func (v *Resolver) Isolate() uint64 { return v.number }

// enter makes the isolate current that a thread had entered at a time. Where another one was made at its address since,
// it is the one before that, if that was seen later than the time, else one of which nothing is known.
func (v *Resolver) enter(key isolateKey, taken int64) {
	i := v.isolates[key]
	if i == nil || i.checked != v.code.round && !v.lives(i) {
		i = v.addIsolate(key, i)
	}
	i.checked, i.used, i.seen = v.code.round, v.code.round, v.renewed
	v.isolate, v.r = i, v.live
	if taken < i.times.made() {
		v.isolate, v.r = v.unknown, v.gone
		if i.before != nil && taken <= i.before.seen {
			v.isolate = i.before
		}
	}
}

// lives reports whether an isolate is still the one that it was.
func (v *Resolver) lives(i *isolate) bool {
	if len(i.times) == 0 { // it was being made
		i.times = readTimes(v.live, i.key.address, v.Started, v.Now)
		return true
	}
	return i.times.hold(v.live)
}

// addIsolate adds an isolate. before is the one that was at its address; nil: none is known.
func (v *Resolver) addIsolate(key isolateKey, before *isolate) *isolate {
	if before == nil && len(v.isolates) >= maxIsolates {
		v.dropOldestIsolate()
	}
	if before != nil {
		before.before, v.forgot = nil, true
	}
	v.met++
	i := newIsolate(key, v.met)
	i.times, i.before = readTimes(v.live, key.address, v.Started, v.Now), before
	v.isolates[key] = i
	return i
}

func (v *Resolver) dropOldestIsolate() {
	var oldest isolateKey
	least := v.code.round
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
