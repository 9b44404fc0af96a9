package otlp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// written is a snapshot small enough to say by hand what its message must be.
func written() *pprofx.Snapshot {
	return &pprofx.Snapshot{
		Start: 1000, End: 2000, Period: 10,
		Frames: []*pprofx.Frame{
			{Function: "add", File: "a.js", Line: 3, Column: 7, Kind: pprofx.JS, Inlined: true},
			{Function: "sum", File: "a.js", Line: 9, Column: 2, Kind: pprofx.JS, Tier: pprofx.TurboFan},
			{Function: "ArrayReduce", Kind: pprofx.Builtin, Module: "/bin/node", BuildID: "ab", Address: 64},
			{Function: "w", Kind: pprofx.Wasm, Inlined: true},
		},
		Stacks:    [][]int32{{0, 1, 2}, {3, 1}},
		LabelSets: [][]pprofx.Label{nil},
		Threads:   []string{"node"},
		Rows: []pprofx.Row{
			{Time: 1000, Stack: 0, PID: 9, TID: 9, Stop: pprofx.StopRoot},
			{Time: 1500, Stack: 1, PID: 9, TID: 9, Stop: pprofx.StopRoot},
			{Time: 1999, Stack: 0, PID: 9, TID: 9, Stop: pprofx.StopRoot},
		},
	}
}

func TestEqualRowsAreOneSample(t *testing.T) {
	resource := wire(t, Profiles(written(), Agent{})).ResourceProfiles().At(0)
	samples := resource.ScopeProfiles().At(0).Profiles().At(0).Samples()
	var got [][]uint64
	for _, s := range samples.All() {
		got = append(got, s.TimestampsUnixNano().AsRaw())
	}
	if diff := cmp.Diff([][]uint64{{1000, 1999}, {1500}}, got); diff != "" {
		t.Error(diff)
	}
}

// Viewers show the first profile unless told otherwise (profiles.proto, resource_profiles).
func TestBusiestProcessIsFirst(t *testing.T) {
	s := written()
	s.Rows[0].PID, s.Rows[1].PID, s.Rows[2].PID = 3, 9, 9
	pid, _ := wire(t, Profiles(s, Agent{})).ResourceProfiles().At(0).Resource().Attributes().Get("process.pid")
	if pid.Int() != 9 {
		t.Errorf("process %d is first, want 9", pid.Int())
	}
}

// An inlined function is a line of its caller's location, leaf first; one of another language is a location.
func TestInlinedFramesAreLines(t *testing.T) {
	p := wire(t, Profiles(written(), Agent{}))
	d := receiver{p.Dictionary()}
	samples := p.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0).Samples()
	want := [][][]string{{{"add", "sum"}, {"ArrayReduce"}}, {{"w"}, {"sum"}}}
	if diff := cmp.Diff(want, [][][]string{functions(d, samples.At(0)), functions(d, samples.At(1))}); diff != "" {
		t.Error(diff)
	}
}

// An address without a name has no line, as OpenTelemetry's profiler sends it, and not one that refers to no function.
func TestNameless(t *testing.T) {
	s := written()
	for _, f := range s.Frames {
		*f = pprofx.Frame{Kind: pprofx.Native, Module: "/lib/stripped.so", Address: 7}
	}
	locations := wire(t, Profiles(s, Agent{})).Dictionary().LocationTable()
	if l := locations.At(1); locations.Len() != 2 || l.Address() != 7 || l.Lines().Len() > 0 {
		t.Errorf("%d locations, with %d lines at %d", locations.Len(), l.Lines().Len(), l.Address())
	}
}

// A tier that no location has is in no table.
func TestTierOfAnInlinedFunction(t *testing.T) {
	s := written()
	s.Frames[0].Tier = pprofx.Maglev
	p := wire(t, Profiles(s, Agent{}))
	if got := breaches(p); got != nil {
		t.Error(got)
	}
	d := receiver{p.Dictionary()}
	want := [][]string{{"add", "sum"}, {"ArrayReduce"}}
	sample := p.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0).Samples().At(0)
	if diff := cmp.Diff(want, functions(d, sample)); diff != "" {
		t.Error(diff)
	}
}

func functions(d receiver, s pprofile.Sample) (all [][]string) {
	for _, i := range d.tables.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
		var names []string
		for _, f := range d.location(d.tables.LocationTable().At(int(i))) {
			names = append(names, f.Function)
		}
		all = append(all, names)
	}
	return all
}

func TestFrameTypes(t *testing.T) {
	want := map[pprofx.Kind]string{pprofx.JS: "v8js", pprofx.Builtin: "v8js", pprofx.Regexp: "v8js",
		pprofx.Wasm:   "wasm",
		pprofx.Native: "native", pprofx.Kernel: "kernel", pprofx.JIT: "jit", pprofx.Marker: ""}
	for kind, frameType := range want {
		s := written()
		s.Frames[2].Kind = kind
		d := receiver{wire(t, Profiles(s, Agent{})).Dictionary()}
		found := false
		for _, l := range d.tables.LocationTable().All() {
			attrs := d.attributes(l.AttributeIndices())
			if l.Address() == 64 {
				found = attrs["profile.frame.type"] == frameType
			}
		}
		if !found {
			t.Errorf("%s: profile.frame.type is not %q", kind, frameType)
		}
	}
}

func TestSplitKeepsEveryRowOnce(t *testing.T) {
	s := randomSnapshot(3, 600)
	for _, limit := range []int{1, 10_000, 30_000, 60_000, 1 << 30} {
		var all []pprofile.Profiles
		for _, m := range messages(s, agent, processes(s, ""), limit) {
			all = append(all, wire(t, m))
			if size := proto.Size(m); size > limit && all[len(all)-1].SampleCount() > 1 {
				t.Errorf("limit %d, message %d has %d bytes", limit, len(all), size)
			}
		}
		if diff := cmp.Diff(flatten(s), decode(all...)); diff != "" {
			t.Fatalf("limit %d: %s", limit, diff)
		}
		for i, m := range all {
			if got := breaches(m); got != nil {
				t.Errorf("limit %d, message %d of %d: %s", limit, i+1, len(all), got)
			}
		}
	}
}
