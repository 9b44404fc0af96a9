package stack

import (
	"github.com/hotspan/hotspan/v8/target"
)

// deoptimizer is what is known of the deoptimiser at work.
type deoptimizer struct {
	object uint64 // of C++
	end    uint64 // of the frame that it took from the stack
	copied uint64 // where the copy of the frame ends by now; 0 = all of it is there
}

// deoptimizer finds it. A call of C++ has the stack pointer from before its alignment on top, and that points to the
// object's address, which was pushed where the frame was. Else they are in registers.
func (s *walk) deoptimizer() (d deoptimizer, ok bool) {
	if s.at.Exact {
		if s.at.Registers == nil {
			return d, false // a signal's: they are not known
		}
		r := &s.at.Registers.General
		d = deoptimizer{r[target.RAX], r[target.RCX], r[target.RDX]}
		if !s.isDeoptimizer(d.object) {
			d.object = r[target.RDI] // the call's argument
		}
		return d, s.isDeoptimizer(d.object)
	}
	var top [3]uint64
	sp := s.at.SP
	if !s.words(top[:], sp) || top[0] != sp+8 && top[0] != sp+16 {
		return d, false
	}
	d = deoptimizer{object: top[(top[0]-sp)/8], end: top[0] + 8}
	return d, s.isDeoptimizer(d.object)
}

func (s *walk) isDeoptimizer(object uint64) bool {
	var isolate [1]uint64
	return object != 0 && s.isolate != 0 && s.words(isolate[:], object) && isolate[0] == s.isolate
}
