package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/functions"
)

// atBytecode has the frame of a function that the interpreter runs say at which bytecode it was interrupted. On the
// stack it says so only while it calls something. scratch takes the frames, since those in the ring buffer cannot be
// written; it is returned for the next sample.
func atBytecode(r *functions.Resolver, s *sampler.Sample, scratch []bpf.Frame) []bpf.Frame {
	if len(s.Frames) == 0 || s.Frames[0].Exact == 0 || s.Frames[0].Generated != 0 ||
		s.Frames[0].Kind != bpf.FrameJS && s.Frames[0].Kind != bpf.FrameTyped {
		return scratch
	}
	i, offset, ok := r.BytecodeOffset(RawFrame(s.Frames[0]), leafOf(s))
	if !ok || i >= len(s.Frames) || s.Frames[i].Kind != bpf.FrameJS || s.Frames[i].Offset == int32(offset) {
		return scratch
	}
	s.Frames = append(scratch[:0], s.Frames...)
	s.Frames[i].Offset = int32(offset)
	return s.Frames
}
