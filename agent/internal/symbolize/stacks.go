package symbolize

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
)

// maxStacks bounds the stacks that are kept of one process, twice.
const maxStacks = 1 << 12

// stackKey names what the frames of a sample are made of, by 128 bits that a process cannot foresee.
type stackKey [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// Result describes one named stack.
type Result struct {
	JS      bool // there are JavaScript frames
	Unnamed bool // one of these has no name
	NoLine  bool // a line is missing, or a function inlined or of WebAssembly: code or bytecode could not be read
	Broken  bool // a frame is missing, or its code is unknown
	Work    int  // that naming it took, as functions.Resolver counts it
}

// namedStack is a stack that was named, and what that holds for.
type namedStack struct {
	frames []*pprofx.Frame
	result Result
	basis  functions.Basis
	words  []frameWords
	until  int64 // when its frames of the kernel are to be named again, as sampler.Now
}

// frameWords are what a frame in code that V8 made at run time has at fp−32 and fp−40, where names rest on these: of
// baseline code the bytecode that it was compiled from; of a copy of the interpreter's entry also the offset in that.
// In a frame of optimised code they mean nothing, so they are not part of the key.
type frameWords struct {
	index       int
	bytecode    uint64
	interpreted bool
	offset      int32 // if it is interpreted
}

// wordsOf are those of a raw frame with a named one; ok is false where the names do not rest on them.
func wordsOf(f *functions.Frame, index int, raw *bpf.Frame) (w frameWords, ok bool) {
	switch {
	case f.Tier == functions.Sparkplug:
		return frameWords{index: index, bytecode: raw.Bytecode}, true
	case f.Tier == functions.Ignition && raw.Generated != 0:
		return frameWords{index, raw.Bytecode, true, raw.Offset}, true
	}
	return w, false
}

// same reports whether a sample has the same words.
func (w *frameWords) same(s *sampler.Sample) bool {
	f := &s.Frames[w.index]
	return f.Bytecode == w.bytecode && (!w.interpreted || f.Offset == w.offset)
}

// stackCache keeps the named stacks of a process.
type stackCache struct {
	aged[stackKey, *namedStack]
	key     []byte       // scratch
	words   []frameWords // of the current sample
	passing bool         // the current stack holds for this sample only
	until   int64        // until when it holds
}

func newStackCache() stackCache { return stackCache{aged: newAged[stackKey, *namedStack](maxStacks)} }

// find returns the stack of a key that still holds for a sample; nil: there is none.
func (c *stackCache) find(key stackKey, s *sampler.Sample, r *functions.Resolver, now int64) *namedStack {
	known, ok := c.get(key, now)
	if !ok || now >= known.until || !r.Holds(known.basis) {
		return nil
	}
	for i := range known.words {
		if !known.words[i].same(s) {
			return nil
		}
	}
	return known
}

// keyOf is the key of a sample's stack, in an isolate that has this number.
func (c *stackCache) keyOf(s *sampler.Sample, isolate uint64) stackKey {
	gc, fault := uint64(0), uint64(0)
	if collection(s) != nil {
		gc = uint64(s.GcState) + 1
	}
	if inFault(s) {
		fault = 1
	}
	b := c.key[:0]
	b = binary.LittleEndian.AppendUint64(b, isolate)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Tid)|uint64(len(s.Kernel))<<32)
	b = binary.LittleEndian.AppendUint64(b, gc|uint64(s.Stop)<<8|uint64(s.Resumed)<<16|fault<<24|uint64(s.Skipped)<<32)
	for _, pc := range s.Kernel {
		b = binary.LittleEndian.AppendUint64(b, pc)
	}
	for i := range s.Frames {
		b = appendFrame(b, &s.Frames[i])
	}
	c.key = b
	return stackKey{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)}
}

// appendFrame appends what naming a frame depends on, besides the code that it is in.
func appendFrame(b []byte, f *bpf.Frame) []byte {
	b = binary.LittleEndian.AppendUint64(b, f.Pc)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Kind)|uint64(f.Exact)<<16|uint64(f.Generated)<<24)
	if f.Kind != bpf.FrameJS && f.Kind != bpf.FrameTyped {
		return b
	}
	b = binary.LittleEndian.AppendUint64(b, f.Sfi)
	switch {
	case f.Kind == bpf.FrameJS && f.Generated == 0:
		b = binary.LittleEndian.AppendUint64(b, uint64(uint32(f.Offset)))
		b = binary.LittleEndian.AppendUint64(b, f.Bytecode) // V8 may compile a function anew, to another one
		fallthrough
	case f.Kind == bpf.FrameJS || f.Generated != 0: // of a builtin with a type marker only the pc counts
		b = binary.LittleEndian.AppendUint64(b, uint64(uint32(f.Script))<<32|uint64(uint32(f.Literal)))
	}
	return b
}
