package otlp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pprofile"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

var agent = Agent{Version: "1.2.3", Attributes: map[string]string{"host.name": "box"}}

// wire sends a message through its protobuf form, and reads it as a Collector does.
func wire(t testing.TB, p *profilespb.ProfilesData) pprofile.Profiles {
	t.Helper()
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	back, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(b)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func TestProfilesConform(t *testing.T) {
	for seed := range uint64(30) {
		for name, s := range map[string]*pprofx.Snapshot{
			"random": randomSnapshot(seed, 300), "hostile": hostile(seed), "one row": randomSnapshot(seed, 1),
			"no rows": {Start: start, End: end, Period: 1, Lost: map[pprofx.LostReason]int64{pprofx.LostRingFull: 3}},
		} {
			if got := breaches(wire(t, Profiles(s, agent))); got != nil {
				t.Errorf("%s %d: %s", name, seed, got)
			}
		}
	}
}

func TestRowsSurvive(t *testing.T) {
	for seed := range uint64(10) {
		s := randomSnapshot(seed, 300)
		if diff := cmp.Diff(flatten(s), decode(wire(t, Profiles(s, agent)))); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func TestProfileHeader(t *testing.T) {
	p := wire(t, Profiles(randomSnapshot(5, 300), agent))
	if n := p.ResourceProfiles().Len(); n != 3 {
		t.Fatalf("%d resources for 3 processes", n)
	}
	resources := map[int64]map[string]any{}
	for _, rp := range p.ResourceProfiles().All() {
		attrs := rp.Resource().Attributes().AsRaw()
		resources[attrs["process.pid"].(int64)] = attrs
		scope := rp.ScopeProfiles().At(0).Scope()
		if rp.ScopeProfiles().Len() != 1 || scope.Name() != "hotspan" || scope.Version() != "1.2.3" {
			t.Errorf("scope %q %q", scope.Name(), scope.Version())
		}
		checkHeader(t, p.Dictionary(), rp.ScopeProfiles().At(0).Profiles())
	}
	want := map[int64]map[string]any{
		1: {"process.pid": int64(1), "host.name": "box", "service.name": "shop", "container.id": "c0ffee",
			"process.executable.path": "/usr/bin/node", "process.executable.name": "node"},
		2: {"process.pid": int64(2), "host.name": "pod", "service.version": "1.2", "shard": int64(7), // its own
			"process.executable.path": "/opt/app", "process.executable.name": "app"},
		3: {"process.pid": int64(3), "host.name": "box"},
	}
	if diff := cmp.Diff(want, resources); diff != "" {
		t.Error(diff)
	}
}

func checkHeader(t *testing.T, dict pprofile.ProfilesDictionary, all pprofile.ProfilesSlice) {
	t.Helper()
	d, p := receiver{dict}, all.At(0)
	got := fmt.Sprint(all.Len(), uint64(p.Time()), p.DurationNano(), p.Period(),
		d.str(p.SampleType().TypeStrindex()), d.str(p.SampleType().UnitStrindex()),
		d.str(p.PeriodType().TypeStrindex()), d.str(p.PeriodType().UnitStrindex()), d.attributes(p.AttributeIndices()))
	want := fmt.Sprint(1, uint64(start), uint64(end-start), 10_101_010, "samples", "count", "cpu", "nanoseconds",
		map[string]string{"hotspan.lost.ring buffer full": "7", "hotspan.lost.process exited": "5"})
	if got != want {
		t.Errorf("header %s, want %s", got, want)
	}
}
