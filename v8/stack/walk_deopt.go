package stack

import (
	"github.com/hotspan/hotspan/v8/layout"
)

// readDeoptimized reads a frame that the deoptimiser has taken from the stack. The builtins by which optimised code is
// left for the interpreter copy its frame into an object of C++, drop it, and have C++ compute the frames that take its
// place. While that runs, rbp still is the dropped frame's, and calls overwrite what it points to; the copy has it. It
// is used if the object is of this isolate, and its sizes lead to rbp. (src/builtins/x64/builtins-x64.cc,
// Generate_DeoptimizationEntry)
//
// The builtin has no frame of its own: one is added for it, and the walk moves to the optimised code's. The result is
// the end of that, the caller's stack pointer after its arguments; 0 = there is none.
func (s *walk) readDeoptimized(v *[numSlots]uint64) uint64 {
	d, ok := s.deoptimizer()
	if !ok {
		return 0
	}
	from, ok := s.copied(d, v)
	if !ok {
		return 0
	}
	s.push(FrameTyped).Marker = 0
	s.at.PC, s.at.Exact = from-ExitRest(s.Layout), false
	return d.end
}

// ExitRest is how far it is from inside an exit of optimised code, the call of the deoptimiser, to its end. A frame
// that has called it is said to be there: where code is thrown away that waits for a call to return, the return address
// becomes the start of an exit, which is the end of the one before.
func ExitRest(l *layout.Layout) uint64 { return uint64(max(l.At(layout.DeoptExitSize)-1, 0)) }

// copied reads the frame from the copy, and the return address of the call of the deoptimiser in the frame's code.
func (s *walk) copied(d deoptimizer, v *[numSlots]uint64) (from uint64, ok bool) {
	at := s.Layout.At(layout.DeoptimizerFrom)
	input := (s.Layout.At(layout.DeoptimizerInput) - at) / 8
	var size [1]uint64
	var head [5]uint64
	if at <= 0 || input < 0 || input >= len(head) || !s.words(head[:], d.object+uint64(at)) {
		return 0, false
	}
	description, below := head[input], uint64(uint32(head[1])) // below: bytes of the frame below its frame pointer
	content := description + uint64(s.Layout.At(layout.FrameDescriptionContent))
	if !s.words(size[:], description) || below < 16 || below+16 > size[0] || d.end-size[0]+below != s.at.BP {
		return 0, false
	}
	if d.copied != 0 && d.copied-content < below+16 {
		return 0, false
	}
	v[slotOffset] = 1 // no Smi: the code is optimised
	return head[0], s.words(v[slotFunction:slotArguments], content+below-16)
}
