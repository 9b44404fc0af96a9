package symbolize

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// The numbers are those of enum stop in event.h; one that is not known must not end the profiler.
func TestStopReasons(t *testing.T) {
	for stop := range 256 {
		got := StopReason(uint8(stop))
		if (got == pprofx.StopRoot) != (stop == int(bpf.StopRoot)) || got.String() == "" {
			t.Errorf("stop %d is %q", stop, got)
		}
	}
	if !strings.Contains(StopReason(bpf.StopDepth).String(), "deep") {
		t.Errorf("%q", StopReason(bpf.StopDepth))
	}
}

// What was walked in Go is named as what the BPF program has walked.
func TestFromWalk(t *testing.T) {
	want := []stack.WalkFrame{
		{Kind: stack.FrameNative, RawFrame: stack.RawFrame{PC: 1, Exact: true, Marker: -1, Offset: -1,
			ID: heap.Identity{Script: -1}}},
		{Kind: stack.FrameFunction, RawFrame: stack.RawFrame{PC: 2, Marker: -1, SFI: 0x101, Bytecode: 0x201, Offset: 7,
			ID: heap.Identity{Script: 3, Literal: 4}}},
		{Kind: stack.FrameTyped, RawFrame: stack.RawFrame{PC: 5, Marker: 18, SFI: 36, Instance: 0x301,
			Argument: 0x7f0012345679, Offset: -1, ID: heap.Identity{Script: -1}}},
	}
	var s bpf.Sample
	w := stack.Walk{Frames: want, Skipped: 5, Stop: stack.StopRoot, Resumed: true,
		Leaf: stack.Leaf{SP: 6, BP: 7, RAX: 2, RCX: 3, R8: 4, R9: 8, R10: 9}}
	frames := FromWalk(&w, &s)
	for i, f := range frames {
		if diff := cmp.Diff(want[i].RawFrame, RawFrame(f)); diff != "" || f.Kind != uint16(want[i].Kind) {
			t.Errorf("frame %d: %s", i, diff)
		}
	}
	if s.Stop != bpf.StopRoot || s.Skipped != 5 || s.Resumed != 1 || s.Sp != 6 || s.Bp != 7 || s.Rax != 2 ||
		s.Rcx != 3 || s.R8 != 4 || s.R9 != 8 || s.R10 != 9 {
		t.Errorf("%+v", s)
	}
}
