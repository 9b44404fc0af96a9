package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// RawFrame converts a frame of the BPF program to that of package stack.
func RawFrame(f bpf.Frame) stack.RawFrame {
	r := stack.RawFrame{
		PC: f.Pc, Exact: f.Exact != 0, Marker: -1, SFI: heap.Word(f.Sfi), Bytecode: heap.Word(f.Bytecode),
		Offset: int(f.Offset),
		ID:     heap.Identity{Script: f.Script, Literal: f.Literal},
	}
	if f.Kind == bpf.FrameTyped {
		r.Instance, r.Argument = r.Bytecode, heap.Word(uint64(uint32(f.Literal))<<32|uint64(uint32(f.Script)))
		r.Bytecode, r.ID = 0, heap.Identity{Script: -1}
		if f.Sfi&1 == 0 {
			r.Marker = int(f.Sfi >> 1 & 0xffff)
		}
	}
	return r
}

// leafOf converts what the BPF program kept of the first frame in V8's code.
func leafOf(s *sampler.Sample) stack.Leaf {
	return stack.Leaf{Callee: RawFrame(s.Callee), Words: s.Stack, SP: s.Sp, BP: s.Bp, RAX: s.Rax, RCX: s.Rcx,
		R8: s.R8, R9: s.R9, R10: s.R10}
}

// called returns an address in the instruction that a frame is at: a call may be the last one of its function.
func called(pc uint64, exact bool) uint64 {
	if exact {
		return pc
	}
	return pc - 1
}
