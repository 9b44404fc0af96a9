package labels

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// A thread of V8's that has entered another's isolate has not that one's request. Until it is known which is which, a
// sample without frames of V8 has none.
func TestHelperThreads(t *testing.T) {
	const isolate, other = 0x1000, 0x2000
	native, js := []bpf.Frame{{Kind: bpf.FrameNative}}, []bpf.Frame{{Kind: bpf.FrameNative}, {Kind: bpf.FrameJS}}
	context := record(bpf.ContextPresent, 0, "") + record(bpf.ContextOneByte, 0, "x")
	labels, none := []pprofx.Label{{Key: "a", Str: "x"}}, []pprofx.Label(nil)
	p := newProcess(t)
	p.ended = func(uint32) bool { return false }
	for i, step := range []struct {
		sample bpf.Sample
		frames []bpf.Frame
		want   []pprofx.Label
		flags  Flags
	}{
		{bpf.Sample{Isolate: isolate, Tid: 1}, native, none, Flags{Present: true, Learning: true}},
		{bpf.Sample{Isolate: isolate, Tid: 2}, native, none, Flags{Present: true, Learning: true}},
		{bpf.Sample{Isolate: isolate, Tid: 1}, js, labels, Flags{Present: true}},
		{bpf.Sample{Isolate: isolate, Tid: 1}, native, labels, Flags{Present: true}},
		{bpf.Sample{Isolate: isolate, Tid: 2}, native, none, Flags{Helper: true}},
		{bpf.Sample{Isolate: isolate, Tid: 2, Resumed: 1}, js, none, Flags{Helper: true}},
		{bpf.Sample{Isolate: isolate, Tid: 2, Work: 7}, native, labels, Flags{Present: true}},
		{bpf.Sample{Tid: 2}, native, labels, Flags{Present: true}},
		{bpf.Sample{Isolate: other, Tid: 2}, js, labels, Flags{Present: true}},
		{bpf.Sample{Isolate: isolate, Tid: 3}, js, labels, Flags{Present: true}}, // a later isolate in that memory
		{bpf.Sample{Isolate: isolate, Tid: 1}, native, none, Flags{Helper: true}},
	} {
		got, flags := p.Decode(&sampler.Sample{Sample: &step.sample, Frames: step.frames, Context: []byte(context)})
		if diff := cmp.Diff(step.want, got); diff != "" || flags != step.flags {
			t.Errorf("step %d: %+v, want %+v: %s", i, flags, step.flags, diff)
		}
	}
}

// A thread whose isolate is in the memory of one whose thread has ended is no helper, also before it runs JavaScript. A
// helper stays one, whoever has ended.
func TestIsolateInUsedMemory(t *testing.T) {
	const isolate = 0x1000
	native, js := []bpf.Frame{{Kind: bpf.FrameNative}}, []bpf.Frame{{Kind: bpf.FrameJS}}
	p := newProcess(t)
	ended := map[uint32]bool{}
	p.ended = func(tid uint32) bool { return ended[tid] }
	for i, step := range []struct {
		tid    uint32
		frames []bpf.Frame
		ends   uint32 // a thread, before the sample
		helper bool
	}{
		{1, js, 0, false}, {2, native, 0, true}, {2, native, 1, true}, {3, native, 0, false}, {2, native, 0, false},
		{3, js, 0, false}, {2, native, 0, true}, {4, native, 0, true}, {4, js, 3, false}, {3, native, 0, true},
	} {
		ended[step.ends] = true
		_, flags := p.Decode(&sampler.Sample{
			Sample: &bpf.Sample{Isolate: isolate, Tid: step.tid}, Frames: step.frames,
		})
		if flags.Helper != step.helper {
			t.Errorf("step %d: helper %v, want %v", i, flags.Helper, step.helper)
		}
	}
}
