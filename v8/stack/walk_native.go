package stack

import (
	"errors"

	"github.com/hotspan/hotspan/v8/layout"
)

// stepNative goes up by the unwind rule at pc.
func (s *walk) stepNative(pc uint64) {
	to, err := s.Code.Step(pc, s.at, s.Mem)
	switch {
	case err == nil:
		s.ascend(to)
	case errors.Is(err, ErrRoot):
		s.Stop = StopRoot
	case errors.Is(err, ErrNoRule):
		s.stepFramePointer()
	default:
		s.Stop = StopUnreadable
	}
}

// stepFramePointer goes up from code without a rule, such as assembly, which mostly keeps a frame pointer all the same.
// It is believed if the return address that it leads to is in code.
func (s *walk) stepFramePointer() {
	var v [2]uint64
	bp := s.at.BP
	if bp&7 != 0 || bp < s.at.SP || !s.words(v[:], bp) || s.Code.Code(v[1]) == NoCode {
		s.Stop = StopNoRule
		return
	}
	s.ascend(Position{PC: v[1], SP: bp + 16, BP: v[0]})
}

// resume goes on where native frames that cannot be walked hide the rest of the stack: V8 keeps the address of its
// youngest exit frame, from which on the stack is sound. (src/execution/thread-local-top.h, c_entry_fp_) A helper
// thread of V8 may be in the isolate of another thread, whose exit frame is farther away: at least as far as a stack is
// large.
func (s *walk) resume() {
	var fp [1]uint64
	var v [2]uint64
	at := s.Layout.At(layout.IsolateCEntryFP)
	if s.Resumed || at <= 0 || s.isolate == 0 || !s.words(fp[:], s.isolate+uint64(at)) {
		return
	}
	if fp[0] <= s.at.SP || fp[0]-s.at.SP > MaxGap || fp[0]&7 != 0 || !s.words(v[:], fp[0]) {
		return
	}
	s.Resumed, s.Stop, s.typed = true, 0, false
	s.push(FrameGap)
	s.ascend(Position{PC: v[1], SP: fp[0] + 16, BP: v[0]})
}
