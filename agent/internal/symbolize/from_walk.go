package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/stack"
)

// FromWalk puts the stack of a walk in Go into a sample, in the form of the BPF program's.
func FromWalk(w *stack.Walk, s *bpf.Sample) (frames []bpf.Frame) {
	s.Stop, s.Skipped = uint8(w.Stop), uint16(w.Skipped)
	s.Sp, s.Bp = w.Leaf.SP, w.Leaf.BP
	s.Rax, s.Rcx, s.R8, s.R9, s.R10 = w.Leaf.RAX, w.Leaf.RCX, w.Leaf.R8, w.Leaf.R9, w.Leaf.R10
	if w.Resumed {
		s.Resumed = 1
	}
	s.Callee = bpfFrame(stack.WalkFrame{RawFrame: w.Leaf.Callee, Kind: stack.FrameFunction})
	for _, f := range w.Frames {
		frames = append(frames, bpfFrame(f))
	}
	return frames
}

// bpfFrame is the reverse of RawFrame.
func bpfFrame(f stack.WalkFrame) bpf.Frame {
	to := bpf.Frame{
		Pc: f.PC, Sfi: uint64(f.SFI), Bytecode: uint64(f.Bytecode), Script: f.ID.Script, Literal: f.ID.Literal,
		Offset: int32(f.Offset), Kind: uint16(f.Kind),
	}
	if f.Exact {
		to.Exact = 1
	}
	if f.Kind == stack.FrameTyped {
		to.Bytecode = uint64(f.Instance)
		to.Script, to.Literal = int32(uint32(f.Argument)), int32(uint32(f.Argument>>32))
	}
	return to
}

// stopReasons maps the BPF program's stop codes to those of pprofx.
var stopReasons = [...]pprofx.StopReason{
	bpf.StopRoot:       pprofx.StopRoot,
	bpf.StopDepth:      pprofx.StopDepth,
	bpf.StopUnreadable: pprofx.StopUnreadable,
	bpf.StopNoRule:     pprofx.StopNoRule,
	bpf.StopNoProgress: pprofx.StopNoProgress,
	bpf.StopBadPC:      pprofx.StopBadPC,
	bpf.StopBadPC + 1:  pprofx.StopUnknown,
}

// StopReason converts a stop code of the BPF program.
func StopReason(code uint8) pprofx.StopReason { return stopReasons[min(int(code), len(stopReasons)-1)] }
