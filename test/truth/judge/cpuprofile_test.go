package judge

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/truth"
)

const profileText = `{"nodes":[
 {"id":1,"callFrame":{"functionName":"(root)","url":""},"children":[2,3,4]},
 {"id":2,"callFrame":{"functionName":"(idle)","url":""}},
 {"id":3,"callFrame":{"functionName":"outer","url":"file:///tmp/a%20b.js"},"children":[5]},
 {"id":4,"callFrame":{"functionName":"(garbage collector)","url":""}},
 {"id":5,"callFrame":{"functionName":"inner","url":""},"positionTicks":[{"line":4,"ticks":3},{"line":9,"ticks":1}]}],
 "startTime":1000,"endTime":5000,"samples":[3,2,5,4],"timeDeltas":[10,10,10,10]}`

func readText(t *testing.T, text string) (*CPUProfile, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.cpuprofile")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadCPUProfile(file)
}

func TestCPUProfile(t *testing.T) {
	p, err := readText(t, profileText)
	if err != nil {
		t.Fatal(err)
	}
	l := &truth.Log{
		Header: truth.Header{PID: 7},
		Clocks: []truth.Clock{{Mono: 1_000_000, Unix: 5_000_000}},
		Intervals: []truth.Interval{
			{Stack: []truth.Frame{{Function: "inner", First: 3, Last: 5}}},
		},
	}
	outer := Frame{F: "outer", File: "/tmp/a b.js", Kind: "js"}
	want := []Sample{
		{T: 5_010_000, PID: 7, TID: 7, State: "js", Stop: "root", Stack: []Frame{outer}},
		{T: 5_030_000, PID: 7, TID: 7, State: "js", Stop: "root",
			Stack: []Frame{{F: "inner", File: evalAt, Kind: "js"}, outer}},
		{T: 5_040_000, PID: 7, TID: 7, State: "gc", Stop: "root",
			Stack: []Frame{{F: "(garbage collector)", File: evalAt, Kind: "marker"}}},
	}
	if diff := cmp.Diff(want, p.Select(l)); diff != "" {
		t.Error(diff)
	}
	if got, want := p.Lines(l), (Share{3, 4}); got != want {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestCPUProfileErrors(t *testing.T) {
	for _, text := range []string{"", "{", `{"samples":[1],"timeDeltas":[]}`} {
		if _, err := readText(t, text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzCPUProfile(f *testing.F) {
	f.Add(profileText)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readText(t, text)
		if err != nil {
			return
		}
		l := &truth.Log{Clocks: []truth.Clock{{}}}
		p.Select(l)
		p.Lines(l)
	})
}
