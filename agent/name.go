package agent

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/space"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// maxFrames bounds the named frames that are kept of one process; over it its cache starts anew.
const maxFrames = 1 << 18

// frameCache keeps the frames of a process, so that a stack seen before is named without allocation.
type frameCache struct {
	native  map[uint64]*pprofx.Frame       // by address
	js      map[*stack.Frame]*pprofx.Frame //
	skipped map[uint16]*pprofx.Frame       // by number of frames
	stack   []*pprofx.Frame                // of the sample at hand
}

func newFrameCache() frameCache {
	return frameCache{
		native: map[uint64]*pprofx.Frame{}, js: map[*stack.Frame]*pprofx.Frame{}, skipped: map[uint16]*pprofx.Frame{},
	}
}

var (
	gapFrame     = &pprofx.Frame{Function: "[native frames not walked]", Kind: pprofx.Marker}
	emptyFrame   = &pprofx.Frame{Function: "[no user stack]", Kind: pprofx.Marker}
	deepFrame    = &pprofx.Frame{Function: "[deeper frames not walked]", Kind: pprofx.Marker}
	kernelModule = "[kernel]"
)

// name makes the stack of a sample, leaf first. The frames are shared and stay as they are; so does the slice.
func (a *Agent) name(t *target, s *sampler.Sample) []*pprofx.Frame {
	c := &t.frames
	if len(c.js)+len(c.native) > maxFrames {
		*c = newFrameCache()
	}
	c.stack = c.stack[:0]
	for _, pc := range s.Kernel {
		c.stack = append(c.stack, a.kernelFrame(pc))
	}
	t.resolver.Begin()
	for i, f := range s.Frames {
		if i == stack.KeptLeaf && s.Skipped > 0 {
			c.stack = append(c.stack, c.skippedFrame(s.Skipped))
			t.flags.broken = t.flags.broken || s.Resumed != 0
		}
		switch f.Kind {
		case bpf.FrameJS, bpf.FrameTyped:
			if gc := collection(s); gc != nil && !t.flags.v8 {
				c.stack = append(c.stack, gc)
			}
			t.flags.v8 = true
			a.nameV8(t, s, i)
		case bpf.FrameGap:
			t.flags.broken = true
			c.stack = append(c.stack, gapFrame)
		case bpf.FrameUnknown:
			a.nameUnknown(t, f)
		default:
			c.stack = append(c.stack, t.nativeFrame(f.Pc, f.Exact != 0))
		}
	}
	if s.Stop == bpf.StopDepth {
		c.stack = append(c.stack, deepFrame)
	}
	if len(c.stack) == 0 {
		c.stack = append(c.stack, emptyFrame)
	}
	return c.stack
}

// skippedFrame stands for the frames in the middle of a stack that is too deep to be kept whole.
func (c *frameCache) skippedFrame(n uint16) *pprofx.Frame {
	f := c.skipped[n]
	if f == nil {
		f = &pprofx.Frame{Function: fmt.Sprintf("[… %d frames]", n), Kind: pprofx.Marker}
		c.skipped[n] = f
	}
	return f
}

// collections mark the stacks of a collection, by V8's Heap::HeapState (src/heap/heap.h): what stands above the mark is
// the collector's, what stands below it asked for memory.
var collections = [...]*pprofx.Frame{
	layout.Scavenge:       {Function: "[gc scavenge]", Kind: pprofx.Marker},
	layout.MarkCompact:    {Function: "[gc mark-compact]", Kind: pprofx.Marker},
	layout.MinorMarkSweep: {Function: "[gc minor mark-sweep]", Kind: pprofx.Marker},
}

func collection(s *sampler.Sample) *pprofx.Frame {
	if layout.VMState(s.VmState) != layout.VMStateGC || int(s.GcState) >= len(collections) {
		return nil
	}
	return collections[s.GcState]
}

func (a *Agent) nameV8(t *target, s *sampler.Sample, i int) {
	c := &t.frames
	raw := rawFrame(s.Frames[i])
	leaf := stack.Leaf{Callee: rawFrame(s.Callee), Words: s.Stack, R10: s.R10}
	for _, r := range t.resolver.Repair(raw, leaf) {
		for _, f := range t.resolver.Resolve(r) {
			t.flags.js = t.flags.js || f.Kind == stack.JS
			t.flags.unnamed = t.flags.unnamed || f.Kind == stack.JS && f.Lost == stack.LostFunction
			c.stack = append(c.stack, c.convert(f))
		}
	}
}

// nameUnknown names a frame that no mapping was known for: WebAssembly's code is in mappings of its own, that come at any
// time, and is known to V8 at once.
func (a *Agent) nameUnknown(t *target, f bpf.Frame) {
	c := &t.frames
	raw := rawFrame(f)
	found := t.resolver.WebAssembly(raw)
	for _, f := range found {
		c.stack = append(c.stack, c.convert(f))
	}
	if found == nil {
		c.stack = append(c.stack, t.nativeFrame(f.Pc, raw.Exact))
	}
	t.stale = true
}

func rawFrame(f bpf.Frame) stack.RawFrame {
	r := stack.RawFrame{
		PC: f.Pc, Exact: f.Exact != 0, Marker: -1, SFI: heap.Word(f.Sfi), Bytecode: heap.Word(f.Bytecode), Offset: int(f.Offset),
		ID: heap.Identity{Script: f.Script, Literal: f.Literal},
	}
	if f.Kind == bpf.FrameTyped {
		r.Instance, r.Argument = r.Bytecode, heap.Word(uint64(uint32(f.Literal))<<32|uint64(uint32(f.Script)))
		r.Bytecode, r.ID = 0, heap.Identity{Script: -1}
		if f.Sfi&1 == 0 {
			r.Marker = int(f.Sfi >> 1 & 0xffff)
		}
	}
	return r
}

var kinds = [...]pprofx.Kind{
	stack.JS: pprofx.JS, stack.Builtin: pprofx.Builtin, stack.Regexp: pprofx.Regexp, stack.Wasm: pprofx.Wasm,
	stack.JIT: pprofx.JIT,
}

var tiers = [...]pprofx.Tier{
	stack.NoTier: pprofx.NoTier, stack.Ignition: pprofx.Ignition, stack.Sparkplug: pprofx.Sparkplug,
	stack.Maglev: pprofx.Maglev, stack.TurboFan: pprofx.TurboFan,
}

func (c *frameCache) convert(f *stack.Frame) *pprofx.Frame {
	if p := c.js[f]; p != nil {
		return p
	}
	p := &pprofx.Frame{
		Function: f.Name, File: f.File, Line: f.Line, Column: f.Column,
		Kind: kinds[f.Kind], Tier: tiers[f.Tier], Inlined: f.Inlined,
		Map: f.Map, NameLine: f.NameLine, NameColumn: f.NameColumn,
	}
	c.js[f] = p
	return p
}

// nativeFrame names the code of a file by its symbols.
func (t *target) nativeFrame(pc uint64, exact bool) *pprofx.Frame {
	at := pc
	if !exact {
		at-- // a call may be the last instruction of its function
	}
	if f := t.frames.native[at]; f != nil {
		return f
	}
	r, ok := t.space.Find(at)
	if !ok || r.Kind == space.Generated {
		t.stale = t.stale || !ok
		t.flags.broken = true
		return &pprofx.Frame{Function: "[unknown]", Kind: pprofx.JIT, Address: pc}
	}
	f := &pprofx.Frame{Function: "[unknown]", Kind: pprofx.Native, Module: r.File.Path, BuildID: r.File.BuildID, Address: at - r.Bias}
	if r.File.Symbols != nil {
		if sym, ok := r.File.Symbols.Lookup(f.Address); ok {
			f.Function = sym.Name
		}
	}
	t.frames.native[at] = f
	return f
}

func (a *Agent) kernelFrame(pc uint64) *pprofx.Frame {
	if f := a.kernelFrames[pc]; f != nil {
		return f
	}
	f := &pprofx.Frame{Function: "[unknown]", Kind: pprofx.Kernel, Module: kernelModule, Address: pc}
	if kernel := a.kernel(); kernel != nil {
		if sym, ok := kernel.Lookup(pc); ok {
			f.Function = sym.Name
		}
	}
	a.kernelFrames[pc] = f
	return f
}

func (t *target) threadName(s *sampler.Sample) string {
	if name, ok := t.threads[s.Comm]; ok {
		return name
	}
	name := s.ThreadName()
	if len(t.threads) < 1024 {
		t.threads[s.Comm] = name
	}
	return name
}

// vmState turns V8's StateTag (include/v8-unwinder.h) into ours.
func vmState(tag uint8) pprofx.State {
	switch layout.VMState(tag) {
	case layout.VMStateJS:
		return pprofx.StateJS
	case layout.VMStateGC:
		return pprofx.StateGC
	case layout.VMStateParser, layout.VMStateBytecodeCompiler, layout.VMStateCompiler:
		return pprofx.StateCompiler
	case layout.VMStateExternal, layout.VMStateIdleExternal:
		return pprofx.StateExternal
	case layout.VMStateIdle:
		return pprofx.StateIdle
	}
	return pprofx.StateOther
}
