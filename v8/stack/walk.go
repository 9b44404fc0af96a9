package stack

import (
	"encoding/binary"
	"io"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// What is kept of a stack that is deeper than KeptLeaf + KeptRoot frames: so many at the leaf, so many at the root. A
// walk goes up MaxSteps frames at most.
const (
	KeptLeaf = 768
	KeptRoot = 256
	MaxSteps = 16384
)

// MaxGap is how many bytes of the stack native frames may take that a walk leaves out.
const MaxGap = 1 << 20

// FrameKind is what a walk finds a frame to be. The numbers are those of the BPF program's enum frame_kind.
type FrameKind uint8

// The frame kinds.
const (
	FrameNative   FrameKind = iota + 1 // machine code that is not V8's
	FrameFunction                      // code of V8's whose frame holds a JSFunction
	FrameTyped                         // code of V8's whose frame holds a type marker: SFI is the whole word
	FrameUnknown                       // no code is known at PC
	FrameGap                           // native frames that could not be walked; the walk went on at V8's exit frame
)

// Stop is why a walk ended. The numbers are those of the BPF program's enum stop.
type Stop uint8

// The reasons.
const (
	StopRoot       Stop = iota + 1 // the thread's first frame
	StopDepth                      // more than MaxSteps frames
	StopUnreadable                 // a word of the stack cannot be read, or the frame pointer is none
	StopNoRule                     // native code without an unwind rule, and no sound frame pointer
	StopNoProgress                 // the caller's frame would lie below its callee's
	StopBadPC                      // return address 0 or not canonical
)

// WalkFrame is a frame that a walk found.
type WalkFrame struct {
	RawFrame
	Kind FrameKind
}

// Walk is a walked stack.
type Walk struct {
	Frames  []WalkFrame // leaf first
	Skipped int         // frames that are missing after the first KeptLeaf
	Stop    Stop
	Resumed bool      // there is a FrameGap, which may be among those that are missing
	Leaf    Leaf      // what repairs of the first frame in V8's code need; no words if there is none
	Context heap.Word // of the outermost JavaScript frame; 0 = there is none
}

// Walker walks the stacks of a process. It is the specification of walk.h, the walk of the BPF program: change both.
type Walker struct {
	Mem    io.ReaderAt
	Layout *layout.Layout
	Code   Unwinder
}

// walk is a walk that is under way.
type walk struct {
	Walker
	Walk
	isolate  uint64
	at       Position
	frames   int // that were found
	leafSP   uint64
	v8SP     uint64 // of the first frame in V8's code
	script   heap.Word
	id       int32    // of that Script
	pointers []uint64 // frame pointers of frames, by index
	last     int      // index of the frame that was added last
	typed    bool     // the last frame has a type marker
	probing  bool     // PC is the word above the place of the return address, which holds value and is no code
	builtin  uint64   // PC of that frame
	value    uint64
}

// push adds a frame at the present position. The frames after the first KeptLeaf are a ring of KeptRoot.
func (s *walk) push(kind FrameKind) *WalkFrame {
	f := WalkFrame{Kind: kind, RawFrame: RawFrame{
		PC: s.at.PC, Exact: s.at.Exact, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1},
	}}
	s.frames++
	if len(s.Frames) < KeptLeaf+KeptRoot {
		s.Frames, s.pointers = append(s.Frames, f), append(s.pointers, 0)
		s.last = len(s.Frames) - 1
		return &s.Frames[s.last]
	}
	s.last = KeptLeaf + (s.frames-1-KeptLeaf)%KeptRoot
	s.Frames[s.last], s.pointers[s.last] = f, 0
	return &s.Frames[s.last]
}

// keepEnds puts the ring into order.
func (s *walk) keepEnds() {
	if s.frames <= len(s.Frames) {
		return
	}
	s.Skipped = s.frames - len(s.Frames)
	first := s.Skipped % KeptRoot
	turn(s.Frames[KeptLeaf:], first)
	turn(s.pointers[KeptLeaf:], first)
}

// turn puts a ring into order that begins at an index.
func turn[T any](ring []T, first int) {
	copy(ring, append(append([]T{}, ring[first:]...), ring[:first]...))
}

// ascend goes to the caller.
func (s *walk) ascend(to Position) {
	switch {
	// A signal handler may have a stack of its own, above or below what it interrupted, to which Exact leads.
	case to.SP <= s.at.SP && !to.Exact:
		s.Stop = StopNoProgress
	case badPC(to.PC) && !s.typed:
		s.Stop = StopBadPC
	default:
		if s.frames == 1 && !to.Exact {
			to.Registers = s.at.Registers
		}
		s.at = to
	}
}

func badPC(pc uint64) bool { return pc == 0 || pc>>47 != 0 }

// words reads words of the stack or the isolate.
func (s *walk) words(to []uint64, at uint64) bool {
	b := make([]byte, 8*len(to))
	if n, _ := s.Mem.ReadAt(b, int64(at)); n < len(b) {
		return false
	}
	for i := range to {
		to[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return true
}
