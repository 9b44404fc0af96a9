// Package symbolize names the frames of samples: those of V8 through package stack, those of native code and of the
// kernel by symbols.
package symbolize

import (
	"log/slog"
	"math"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/verify"
)

// Symbolizer names the frames of one process. The garbage collector moves code, so call it soon after a sample was
// taken. It is not safe for concurrent use.
type Symbolizer struct {
	pid      int
	memory   *target.Live  // of a process that runs, read as the thread of the current sample
	pages    *target.Pages // what of it was read for the current sample
	mappings *process.Mappings
	resolver *functions.Resolver
	kernel   *Kernel
	natives  *Natives
	known    *sampler.Known // nil: nobody is told what was read
	id       uint32         // of the process, in the BPF program
	frames   frameCache
	stacks   stackCache
	ahead    int64  // how far its CLOCK_MONOTONIC is ahead of that of samples, in nanoseconds
	renewed  int64  // when the resolver was told to check again, as sampler.Now
	result   Result // of the current sample
	inV8     bool   // the current sample has had a frame in V8's code
	outdated bool   // a sample had an address in no known mapping
	threads  threads
	mapped   int64        // when the mappings were read, on the clock of samples
	read     int64        // when they were with their files
	replaced int64        // when code was replaced
	late     bool         // where V8's code is has not been read for the thread of the current sample
	now      int64        // when Stack was called last, as sampler.Now
	off      verify.Parts // what cannot be relied on
	own      []Own        // of the sample that was named last
	code     code
	dumps    dumps
	log      *slog.Logger // nil: nothing is to be logged any more
	scratch  []bpf.Frame
}

// Own is the place of the function whose frame on the stack a raw frame is, behind those that were inlined into it.
type Own struct {
	Frame int // index in the stack
	Raw   int // index in the sample's frames
}

// Own returns those of the sample that was named last. Call ForgetStacks before Stack: a stack that was seen before is
// not named again. It holds until the next sample.
func (z *Symbolizer) Own() []Own { return z.own }

// New makes a Symbolizer for a process. The Kernel may be nil where no sample has frames of it. maps returns the number
// of a script's source map, see functions.Resolver.Maps; it may be nil.
func New(p *process.Process, k *Kernel, n *Natives, maps func(functions.MappedScript) int32) *Symbolizer {
	live, isLive := p.Memory.(target.Live)
	thread := &target.Live{PID: p.PID, Wait: live.Wait}
	memory, pages := p.Memory, target.NewPages(thread)
	if isLive {
		memory = pages
	}
	z := &Symbolizer{
		pid: p.PID, memory: thread, pages: pages, mappings: p.Mappings, kernel: k, natives: n,
		resolver: functions.NewResolver(heap.NewReader(memory, p.Layout), p.Mappings),
		frames:   newFrameCache(), stacks: newStackCache(), threads: newThreads(),
		mapped: math.MaxInt64, read: math.MaxInt64,
	}
	z.resolver.Maps = maps
	if isLive {
		z.followIsolates(p)
	}
	z.code = code{resolver: z.resolver, mappings: p.Mappings, memory: p.Memory}
	return z
}

// followIsolates has isolates told apart that live one after the other at one address, and code at one place.
func (z *Symbolizer) followIsolates(p *process.Process) {
	z.resolver.Now = func() int64 { return sampler.Now() + z.ahead }
	if ahead, ok := procs.ClockAhead(p.PID); ok {
		z.ahead = int64(ahead)
		z.resolver.Started = procs.Monotonic() + z.ahead - int64(procs.Age(p.Started))
	}
}

// Tell notes in k what has been read that naming frames needs. id is the bpf.Process.Id.
func (z *Symbolizer) Tell(k *sampler.Known, id uint32) { z.known, z.id = k, id }

// SetReplaced notes when code of the process was last replaced, as the BPF program has noticed: see sampler.Replaced.
func (z *Symbolizer) SetReplaced(at int64) {
	z.outdated = z.outdated || at > max(z.read, z.replaced)
	z.replaced = at
}

// KeepCode has machine code copied, of frames that V8 made at run time and of all functions that samples are taken in,
// and samples counted by instruction; nil does not.
func (z *Symbolizer) KeepCode(p *jitcode.Process) { z.code.to = p }

// Follow is for a process that is sampled beside others. Machine code that V8 knows nothing of is named by jitdumps,
// which the process itself writes; and what takes too long to name is not named for a while, so that others need not
// wait. A warning says so, once.
func (z *Symbolizer) Follow(p *process.Process, log *slog.Logger) {
	z.dumps, z.log = newDumps(p, log), log
	z.resolver.Bound()
}

func (z *Symbolizer) warnOfRest() {
	if z.log != nil && z.resolver.Rested() {
		z.log.Warn("reading what a process runs takes too long: its stacks lack names at times", "pid", z.pid)
		z.log = nil
	}
}

// Close closes the files that are open. Call nothing afterwards.
func (z *Symbolizer) Close() { z.dumps.close() }

// Distrust has names or lines of JavaScript left out that are read by a layout which the process contradicts.
func (z *Symbolizer) Distrust(off verify.Parts) {
	if z.off == off {
		return
	}
	z.off = off
	z.frames, z.stacks = newFrameCache(), newStackCache()
	if z.known != nil {
		z.known.Clear()
	}
}

// MappingsOutdated reports whether a sample since the last call of MappingsRead had an address in no known mapping.
func (z *Symbolizer) MappingsOutdated() bool { return z.outdated }

// AfterMapped reports whether the mappings are to be read before a sample is named: the first one of its thread in V8's
// code was taken after they were last read. The code and the builtins of its isolate may be where those of one that has
// ended were. Until they are read, Stack names no frame in V8's code of the thread.
func (z *Symbolizer) AfterMapped(s *sampler.Sample) bool { return z.threads.first(s) >= z.mapped }

// Mapped is when the mappings at hand were read, as SetMapped or SetRead said last, and Read when SetRead did.
func (z *Symbolizer) Mapped() int64 { return z.mapped }

// Read is described with Mapped.
func (z *Symbolizer) Read() int64 { return z.read }

// SetMapped notes when the mappings at hand were read, on the clock of samples. Files that had been read before were
// not looked at. Without a call all that is mapped is known.
func (z *Symbolizer) SetMapped(at int64) { z.mapped = at }

// SetRead notes when the mappings at hand were read with their files.
func (z *Symbolizer) SetRead(at int64) { z.mapped, z.read = at, at }

// MappingsRead notes that the mappings are being read again.
func (z *Symbolizer) MappingsRead() { z.outdated = false }

// MappingsChanged drops what was named by the old mappings.
func (z *Symbolizer) MappingsChanged() {
	z.stacks.forget()
	z.dumps.mapped(z.mappings)
}

// Stack names the frames of a sample, leaf first, for sample.Stack: frames are shared between samples and never change.
// Where sample.Shared is set, the slice does not change either; else it is reused for the next sample.
func (z *Symbolizer) Stack(s *sampler.Sample, sample *pprofx.Sample) Result {
	now, before := sampler.Now(), z.resolver.Work()
	z.now = now
	if z.resolver.Full() {
		z.Forget()
	}
	defer z.pages.Forget() // what is read for a sample may be something else when the next is taken
	if int64(s.Time) > z.renewed {
		z.renewed = now
		z.memory.PID = z.pid
		z.resolver.Renew(now + z.ahead)
	}
	z.memory.PID = int(s.Tid) // when the thread has ended, another isolate may have the memory of its own
	z.begin(s)
	z.scratch = atBytecode(z.resolver, s, z.scratch)
	key := z.stacks.keyOf(s, z.resolver.Isolate())
	if z.late = z.AfterMapped(s); s.IsNew == 0 && !z.late {
		if known := z.stacks.find(key, s, z.resolver, now); known != nil {
			sample.Stack, sample.Shared = known.frames, true
			z.code.count(s, sample.Stack)
			return known.result
		}
		z.begin(s)
	}
	z.stacks.words, z.stacks.passing, z.stacks.until = z.stacks.words[:0], z.late, math.MaxInt64
	z.name(s)
	sample.Stack, sample.Shared = z.frames.stack, false
	if basis, ok := z.resolver.Basis(); ok && !z.stacks.passing {
		sample.Stack, sample.Shared = slices.Clone(z.frames.stack), true
		z.stacks.put(key, &namedStack{
			sample.Stack, z.result, basis, slices.Clone(z.stacks.words), z.stacks.until,
		}, now)
	}
	z.code.count(s, sample.Stack)
	z.result.Work = z.resolver.Work() - before
	z.warnOfRest()
	if z.resolver.Forgot() && z.known != nil {
		z.known.Clear()
	}
	return z.result
}

func (z *Symbolizer) begin(s *sampler.Sample) {
	z.resolver.Begin(functions.Moment{
		Isolate: s.Isolate, Thread: int(s.Tid), Taken: int64(s.Time) + z.ahead,
		MarkCompacts: s.MarkCompacts,
	})
}

// name names the frames one by one.
func (z *Symbolizer) name(s *sampler.Sample) {
	z.result, z.inV8, z.own = Result{}, false, z.own[:0]
	c := &z.frames
	if len(c.js) > maxFrames {
		*c = newFrameCache()
	}
	c.stack = c.stack[:0]
	if inFault(s) {
		c.stack = append(c.stack, faultFrame)
	}
	for i, pc := range s.Kernel {
		f := z.kernel.frame(pc, i == 0, z.now)
		z.stacks.until = min(z.stacks.until, f.until)
		c.stack = append(c.stack, f.Frame)
	}
	for i, f := range s.Frames {
		if i == stack.KeptLeaf && s.Skipped > 0 {
			c.stack = append(c.stack, c.skippedFrame(s.Skipped))
			z.result.Broken = z.result.Broken || s.Resumed != 0
		}
		switch f.Kind {
		case bpf.FrameJS, bpf.FrameTyped:
			if gc := collection(s); gc != nil && !z.inV8 {
				c.stack = append(c.stack, gc)
			}
			z.inV8 = true
			z.nameV8(s, i)
		case bpf.FrameGap:
			z.result.Broken = true
			c.stack = append(c.stack, gapFrame)
		case bpf.FrameUnknown:
			z.nameUnknown(s, f)
		default:
			c.stack = append(c.stack, z.nativeFrame(s, f.Pc, f.Exact != 0, true))
		}
	}
	z.tell(s, &s.Callee)
	if s.Stop == bpf.StopDepth {
		c.stack = append(c.stack, deepFrame)
	}
	if len(c.stack) == 0 {
		c.stack = append(c.stack, emptyFrame)
	}
}

func (z *Symbolizer) nameV8(s *sampler.Sample, i int) {
	c := &z.frames
	if z.late {
		z.result.JS, z.result.Unnamed = true, true
		if n := len(c.stack); n == 0 || c.stack[n-1] != lateFrame {
			c.stack = append(c.stack, lateFrame)
		}
		return
	}
	complete := true
	before := len(c.stack)
	raw := RawFrame(s.Frames[i])
	for _, r := range z.resolver.Repair(raw, leafOf(s)) {
		frames := z.resolver.Resolve(r)
		if f := z.dumped(s, r, frames); f != nil {
			c.stack = append(c.stack, f)
			continue
		}
		z.see(s, r, frames)
		for _, f := range frames {
			f = c.trust(f, z.off)
			z.result.JS = z.result.JS || f.Kind == functions.JS
			z.result.Unnamed = z.result.Unnamed || f.Kind == functions.JS && f.Lost == functions.LostFunction
			z.result.NoLine = z.result.NoLine || f.Lost != functions.NothingLost && f.Lost != functions.LostFunction
			complete = complete && f.Lost == functions.NothingLost
			if w, ok := wordsOf(f, i, &s.Frames[i]); ok {
				z.stacks.words = append(z.stacks.words, w)
			}
			c.stack = append(c.stack, c.convert(f))
		}
	}
	if complete {
		z.tell(s, &s.Frames[i])
	}
	if len(c.stack) > before {
		z.own = append(z.own, Own{Frame: len(c.stack) - 1, Raw: i})
	}
}

// dumped returns the frame of a jitdump for a raw frame in memory for generated code in which V8 has no code, as its
// own frames say; nil: there is none.
func (z *Symbolizer) dumped(s *sampler.Sample, raw stack.RawFrame, own []*functions.Frame) *pprofx.Frame {
	if len(own) == 0 || own[0].Lost == functions.NothingLost || !z.dumps.any() || !z.mappings.Generated(raw.PC) {
		return nil
	}
	if _, ok := z.resolver.CodeAt(raw); ok {
		return nil
	}
	return z.dumps.frame(called(raw.PC, raw.Exact), s, z.now)
}

// see has the code of a frame kept. Of its logical frames the last is the code's own function.
func (z *Symbolizer) see(s *sampler.Sample, raw stack.RawFrame, frames []*functions.Frame) {
	if z.code.to == nil || len(frames) == 0 {
		return
	}
	f := z.frames.trust(frames[len(frames)-1], z.off)
	z.code.see(s, raw, f, z.frames.convert(f), z.off&(verify.Names|verify.Lines) == 0)
}

// tell notes that all has been read that naming a frame needs.
func (z *Symbolizer) tell(s *sampler.Sample, f *bpf.Frame) {
	if s.IsNew != 0 && z.known != nil && !z.late {
		z.known.Add(z.id, s, f)
	}
}

// nameUnknown names a frame in no mapping that the BPF program knows. It may be WebAssembly: its code is in mappings of
// its own, which appear at any time, but V8's own tables have it at once.
func (z *Symbolizer) nameUnknown(s *sampler.Sample, f bpf.Frame) {
	z.stacks.passing = true
	z.tell(s, &f)
	c := &z.frames
	raw := RawFrame(f)
	found := z.resolver.WebAssembly(raw)
	z.see(s, raw, found)
	for _, f := range found {
		z.result.NoLine = z.result.NoLine || f.Lost != functions.NothingLost
		c.stack = append(c.stack, c.convert(f))
	}
	if found == nil {
		native := z.nativeFrame(s, f.Pc, raw.Exact, false)
		// The file was mapped since: by the frame pointer, for want of its rules, callers may have been left out.
		z.result.Broken = z.result.Broken || native.Kind == pprofx.Native
		c.stack = append(c.stack, native)
	}
	z.outdated = true
}

// nativeFrame names the code of a file by its symbols, and code that is in no file by a jitdump. told is whether the
// BPF program has found it to be in code of a file: if not, that may have been replaced before the sample.
func (z *Symbolizer) nativeFrame(s *sampler.Sample, pc uint64, exact, told bool) *pprofx.Frame {
	at, taken := called(pc, exact), int64(s.Time)
	r, ok := z.mappings.Find(at)
	z.outdated = z.outdated || !ok
	other := z.replaced > min(taken, z.read)
	if told {
		other = !ok || taken < r.Since
	}
	unknown := !ok || r.Kind == process.Generated || other
	if unknown || r.File.Symbols == nil && z.dumps.any() {
		z.stacks.passing = true
		if f := z.dumps.frame(at, s, z.now); f != nil {
			return f
		}
	}
	if unknown {
		z.result.Broken = true
		// Of a core, and the file is not there any more, or is another one.
		if path := z.mappings.Path(at); path != "" && !other {
			return &pprofx.Frame{Function: pprofx.FileFunction(path), Kind: pprofx.Native, Module: path, Address: pc}
		}
		return &pprofx.Frame{Function: "[unknown]", Kind: pprofx.JIT, Address: pc}
	}
	z.result.Broken = z.result.Broken || r.File.Unplaced()
	return z.natives.frame(&r, at, z.now)
}

// ForgetStacks forgets the stacks that are kept. They are named again when they come again.
func (z *Symbolizer) ForgetStacks() { z.stacks.forget() }

// Forget forgets what is kept of the process. It is read again where it is needed.
func (z *Symbolizer) Forget() {
	z.frames, z.stacks = newFrameCache(), newStackCache()
	z.resolver.Forget()
}

// Sizes are the names and sizes of caches, to be logged: native frames that were named by symbols, stacks of some
// processes, and the pieces of V8's code in these.
func Sizes(n *Natives, of []*Symbolizer) []any {
	stacks, code := 0, 0
	for _, z := range of {
		stacks += z.stacks.len()
		code += z.resolver.Codes()
	}
	return []any{"symbols", n.frames.len(), "named stacks", stacks, "code", code}
}
