package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/verify"
)

// KeepCode has the machine code of frames copied that V8 made at run time, and samples counted by instruction; nil does
// not.
func (z *Symbolizer) KeepCode(p *jitcode.Process) { z.code = p }

// seeCode copies the code of a frame. Of its logical frames the last is the code's own function. Where that is not
// known, or may be another's, another sample will tell.
func (z *Symbolizer) seeCode(s *sampler.Sample, raw stack.RawFrame, frames []*stack.Frame) {
	if z.code == nil || len(frames) == 0 {
		return
	}
	f := z.frames.trust(frames[len(frames)-1], z.off)
	if f.Lost == stack.LostFunction || f.Lost == stack.LostCode {
		return
	}
	if key, ok := z.resolver.CodeAt(raw); ok {
		lines := z.off&(verify.Names|verify.Lines) == 0
		z.code.See(key, z.frames.convert(f), z.resolver, lines, s.Time, s.Tid)
	}
}

// countCode counts a sample that was taken in machine code, by its instruction.
func (z *Symbolizer) countCode(s *sampler.Sample, frames []*pprofx.Frame) {
	if z.code == nil || len(s.Kernel) > 0 || len(s.Frames) == 0 {
		return
	}
	leaf, f := s.Frames[0], frames[0]
	isCode := f.Tier > pprofx.Ignition || f.Kind == pprofx.Wasm || f.Kind == pprofx.Regexp || f.Kind == pprofx.JIT
	if leaf.Exact == 0 || !isCode || leaf.Kind != bpf.FrameJS && leaf.Kind != bpf.FrameTyped &&
		leaf.Kind != bpf.FrameUnknown {
		return
	}
	if key, ok := z.resolver.CodeAt(RawFrame(leaf)); ok {
		z.code.Count(key, leaf.Pc, frames)
	} else if f.Kind != pprofx.Wasm {
		z.code.Miss()
	}
}
