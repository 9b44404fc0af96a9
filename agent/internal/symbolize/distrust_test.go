package symbolize

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/verify"
)

// TestDistrust: names and lines that cannot be relied on are left out and not counted, and nothing else is.
func TestDistrust(t *testing.T) {
	js := functions.Frame{Name: "f", File: "/f.js", Line: 3, Column: 4, Kind: functions.JS, Tier: functions.Maglev,
		NameLine: 2}
	builtin := functions.Frame{Name: "ArrayMap", Kind: functions.Builtin}
	for off, want := range map[verify.Parts]functions.Frame{
		0: js, verify.Labels: js,
		verify.Lines: {Name: "f", File: "/f.js", Kind: functions.JS, Tier: functions.Maglev,
			Lost: functions.LostOffset},
		verify.Names | verify.Lines: {Name: unverified, Kind: functions.JS, Tier: functions.Maglev,
			Lost: functions.LostFunction},
	} {
		z := &Symbolizer{frames: newFrameCache(), stacks: newStackCache()}
		z.Distrust(off)
		for _, w := range []struct{ f, want *functions.Frame }{{&js, &want}, {&builtin, &builtin}} {
			got := z.frames.trust(w.f, z.off)
			if diff := cmp.Diff(w.want, got); diff != "" {
				t.Errorf("%q: %s", off, diff)
			}
			if z.frames.trust(w.f, z.off) != got {
				t.Errorf("%q: another frame each time", off)
			}
		}
	}
	z := &Symbolizer{frames: newFrameCache(), stacks: newStackCache()}
	z.Distrust(verify.Lines)
	stale := functions.Frame{Name: "[stale function]", Kind: functions.JS, Lost: functions.LostFunction}
	if got := z.frames.trust(&stale, z.off); got.Lost != functions.LostFunction {
		t.Errorf("a function without a name is counted as one with %v", got.Lost)
	}
	z.Distrust(verify.Names)
	z.Distrust(0)
	if z.frames.trust(&js, z.off) != &js {
		t.Error("what was found right afterwards is left out")
	}
}
