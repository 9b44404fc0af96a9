package walk

import (
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
)

// stoppedSample is a sample that the BPF program takes of a Node.js that stands still, and what names its frames.
func stoppedSample(t testing.TB, version string) (*symbolize.Symbolizer, sampler.Sample) {
	t.Helper()
	p := bpftest.Load(t)
	th := stopped(t, version, walkProgram)
	r := recordThread(t, p, th)
	kept := *th
	kept.mem = &r.Recording
	s, _ := inKernel(t, p, &kept).raw(t, r.Pages)
	s.IsNew = 0
	s.Tid = uint32(th.process.PID)
	return symbolize.New(th.process, nil, symbolize.NewNatives(), nil), s
}

// TestStackSeenBefore: the same raw frames give the same stack, without an allocation. Those of another isolate, and
// with another bytecode in a frame of baseline code, are named anew.
func TestStackSeenBefore(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Thorough(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			z, s := stoppedSample(t, v.Version)
			var first, again, other pprofx.Sample
			named := z.Stack(&s, &first)
			if !first.Shared || !named.JS || named.Unnamed {
				t.Fatalf("shared %v, %+v", first.Shared, named)
			}
			if allocated := testing.AllocsPerRun(10, func() { z.Stack(&s, &again) }); allocated > 0 {
				t.Errorf("%v allocations", allocated)
			}
			if &again.Stack[0] != &first.Stack[0] || len(again.Stack) != len(first.Stack) {
				t.Error("the same raw frames are another stack")
			}
			// It is no memory of the process: nothing tells which of its scripts live, so the sample is not to be late.
			elsewhere := s
			elsewhere.Isolate ^= 1 << 47
			elsewhere.Time, elsewhere.MarkCompacts = uint64(sampler.Now()+int64(time.Second)), 0
			if z.Stack(&elsewhere, &other); &other.Stack[0] == &first.Stack[0] || len(other.Stack) != len(first.Stack) {
				t.Error("another isolate has the same stack, or one of other frames")
			}
			s.Frames = slices.Clone(s.Frames)
			for i := range s.Frames {
				if s.Frames[i].Generated != 0 {
					s.Frames[i].Bytecode += 8
				}
			}
			z.Stack(&s, &other)
			for i, f := range first.Stack {
				if f.Tier == pprofx.Sparkplug && i < len(other.Stack) && other.Stack[i] == f {
					t.Errorf("%s: baseline code of other bytecode has the same frame", f.Function)
				}
			}
		})
	}
}

// TestAfterMapped: while the mappings have not been read since the first sample of a thread in V8's code, no frame in
// that has a name, also of a stack that was seen before. Native frames do, and so have all when they have been read.
func TestAfterMapped(t *testing.T) {
	all := nodes.Versions()
	z, s := stoppedSample(t, all[len(all)-1].Version)
	var first, late, again pprofx.Sample
	z.Stack(&s, &first)
	native := func(of []*pprofx.Frame) (frames []*pprofx.Frame) {
		for _, f := range of {
			if f.Kind == pprofx.Native {
				frames = append(frames, f)
			}
		}
		return frames
	}
	for _, mapped := range []int64{int64(s.Time) - 1, int64(s.Time)} {
		if z.SetMapped(mapped); !z.AfterMapped(&s) || z.Mapped() != mapped {
			t.Fatal("mappings that were read before the first sample are enough")
		}
		named := z.Stack(&s, &late)
		if !named.JS || !named.Unnamed || late.Shared || !slices.Equal(native(late.Stack), native(first.Stack)) {
			t.Errorf("%+v, shared %v, %d native frames, want %d", named, late.Shared, len(native(late.Stack)),
				len(native(first.Stack)))
		}
		for _, f := range late.Stack {
			if f.Kind != pprofx.Native && (f.Kind != pprofx.Marker || f.File != "") {
				t.Errorf("a frame of V8's code is %+v", f)
			}
		}
	}
	s.Time += 1000 // a later sample of the thread
	if z.SetMapped(int64(s.Time) - 1); z.AfterMapped(&s) {
		t.Error("mappings that were read after the first sample are not enough")
	}
	if z.Stack(&s, &again); &again.Stack[0] != &first.Stack[0] {
		t.Error("the stack is another one afterwards")
	}
}

// TestReplacedCode: a native frame in code that the BPF program did not know has no name, and no file, if code of the
// process may have been replaced between the sample and the reading of the mappings, whichever was first. One that it
// knew has.
func TestReplacedCode(t *testing.T) {
	all := nodes.Versions()
	z, s := stoppedSample(t, all[len(all)-1].Version)
	var out pprofx.Sample
	z.Stack(&s, &out)
	i := slices.IndexFunc(s.Frames, func(f bpf.Frame) bool { return f.Kind == bpf.FrameNative })
	j := slices.IndexFunc(out.Stack, func(f *pprofx.Frame) bool { return f.Kind == pprofx.Native })
	if i < 0 || j < 0 {
		t.Fatal("the stack has no native frame")
	}
	named, taken := out.Stack[j], int64(s.Time)
	s.Frames = slices.Clone(s.Frames)
	for _, c := range []struct {
		kind           uint16
		replaced, read int64 // from when the sample was taken
		want           bool
	}{
		{bpf.FrameUnknown, -1, 1, true},
		{bpf.FrameUnknown, 1, 2, false},
		{bpf.FrameUnknown, 2, 1, false},
		{bpf.FrameUnknown, -1, -2, false},
		{bpf.FrameUnknown, -2, -1, true},
		{bpf.FrameNative, 1, 2, true},
		{bpf.FrameNative, 2, 1, true},
	} {
		s.Frames[i].Kind = c.kind
		z.SetRead(taken + c.read)
		z.SetReplaced(0)
		z.MappingsRead()
		z.SetReplaced(taken + c.replaced)
		if outdated := z.MappingsOutdated(); outdated != (c.replaced > c.read) {
			t.Errorf("%+v: mappings outdated: %v", c, outdated)
		}
		z.Stack(&s, &out)
		if f := out.Stack[j]; c.want != (f.Function == named.Function && f.Module == named.Module) ||
			!c.want && (f.Function != "[unknown]" || f.Module != "") {
			t.Errorf("%+v: %s of %s, was %s", c, f.Function, f.Module, named.Function)
		}
	}
}

// BenchmarkStackSeenBefore names a stack that was seen before.
func BenchmarkStackSeenBefore(b *testing.B) {
	all := nodes.Versions()
	z, s := stoppedSample(b, all[len(all)-1].Version)
	var out pprofx.Sample
	z.Stack(&s, &out)
	b.ReportAllocs()
	for b.Loop() {
		z.Stack(&s, &out)
	}
	b.ReportMetric(float64(len(out.Stack)), "frames")
}
