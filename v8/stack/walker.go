package stack

import (
	"github.com/hotspan/hotspan/v8/target"
)

// Walk walks the stack of a thread that has these registers and has entered this isolate (0 = none). It reads at most
// MaxSteps frames, and of each a bounded number of words.
func (w Walker) Walk(regs target.Registers, isolate uint64) Walk {
	out, _ := w.WalkPointers(regs, isolate)
	return out
}

// WalkPointers is Walk, and gives the frame pointers of the frames that are a FrameFunction, by their index; 0 where
// the frame is not on the stack any more, or its slots up to the number of arguments not yet: then they have old words.
func (w Walker) WalkPointers(regs target.Registers, isolate uint64) (out Walk, framePointers []uint64) {
	s := walk{Walker: w, isolate: isolate, at: leafPosition(&regs)}
	s.leafSP = s.at.SP
	for i := 0; i < MaxSteps && s.Stop == 0; i++ {
		s.step()
	}
	if s.Stop == 0 {
		s.Stop = StopDepth
	}
	s.keepEnds()
	s.readLeaf(regs)
	return s.Walk, s.pointers
}

func (s *walk) step() {
	pc := s.at.PC
	if !s.at.Exact {
		pc-- // a call may be the last instruction of its function
	}
	code, probing, typed := s.Code.Code(pc), s.probing, s.typed
	v8 := code == V8Code || code == NoCode && s.inWasm()
	s.probing, s.typed = false, false
	if probing {
		v8, code = s.acceptAbove(v8), NoCode
	}
	switch {
	case v8:
		s.stepV8()
	case code == NoCode && typed && s.probeAbove():
	case badPC(s.at.PC) && !s.at.Exact:
		s.Stop = StopBadPC
	case code == NativeCode:
		s.push(FrameNative)
		s.stepNative(pc)
	default:
		s.push(FrameUnknown)
		s.stepFramePointer()
	}
	if s.Stop != 0 && s.Stop != StopRoot {
		s.resume()
	}
}
