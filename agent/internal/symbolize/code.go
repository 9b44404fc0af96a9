package symbolize

import (
	"io"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/stack"
)

// code keeps the machine code of a process.
type code struct {
	to       *jitcode.Process // nil: it is not kept
	resolver *functions.Resolver
	mappings *process.Mappings
	memory   io.ReaderAt // of the process
}

// see copies the code of a frame, which was compiled of the function f. Where that is not known, or may be another's,
// another sample will tell.
func (c *code) see(s *sampler.Sample, raw stack.RawFrame, f *functions.Frame, named *pprofx.Frame, lines bool) {
	if f.Lost == functions.LostFunction || f.Lost == functions.LostCode {
		return
	}
	if key, ok := c.resolver.CodeAt(raw); ok {
		c.to.See(key, named, c.resolver, lines, s.Time, s.Tid)
	}
}

// count counts a sample that was taken in machine code, by its instruction.
func (c *code) count(s *sampler.Sample, frames []*pprofx.Frame) {
	if c.to == nil || len(s.Kernel) > 0 || len(s.Frames) == 0 || s.Frames[0].Exact == 0 {
		return
	}
	leaf := s.Frames[0]
	if r, ok := c.mappings.Find(leaf.Pc); ok && r.File != nil {
		if f, ok := nativeAt(&r, leaf.Pc); ok {
			c.to.CountNative(&f, leaf.Pc, c.memory, s.Time, s.Tid)
		} else {
			c.to.MissUnnamed()
		}
		return
	}
	if leaf.Kind == bpf.FrameJS || leaf.Kind == bpf.FrameTyped || leaf.Kind == bpf.FrameUnknown {
		if key, ok := c.resolver.CodeAt(RawFrame(leaf)); ok {
			c.to.Count(key, leaf.Pc, frames)
			return
		}
	}
	c.to.Miss()
}
