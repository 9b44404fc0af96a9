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
