package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hotspan/hotspan/pprofx"
)

// stallFrames are functions by name.
func stallFrames(names ...string) (out []*pprofx.Frame) {
	for _, name := range names {
		out = append(out, &pprofx.Frame{Function: name, File: "/a.js", Line: len(name), Kind: pprofx.JS})
	}
	return out
}

// A turn over two snapshots is one stall: 40 samples of callback→rank→sort, 50 of callback→page, and one of another
// thread between them. The turn after it is too short, by a period.
func TestStalls(t *testing.T) {
	const period = 10e6
	in, err := pprofx.NewBuilder(0, period)
	if err != nil {
		t.Fatal(err)
	}
	sort, page := stallFrames("sort", "rank", "callback"), stallFrames("page", "callback")
	b, trace := NewBuilder("tenant"), fmt.Sprintf("%032x", 1)
	for i := range int64(100) {
		s := &pprofx.Sample{Time: i * period, PID: 1, TID: 1, Thread: "node", Stop: pprofx.StopRoot, Turn: 7,
			Stack: sort, Labels: []pprofx.Label{{Key: "http.route", Str: "/rank"}, {Key: "trace_id", Str: trace},
				{Key: "tenant", Str: "a"}}}
		if i >= 40 {
			s.Stack, s.Labels = page, []pprofx.Label{{Key: "http.route", Str: "/page"}}
		}
		if i >= 90 {
			s.Turn = 8 + uint64(i-90)/4
		}
		in.Add(s)
		if i == 50 {
			in.Add(&pprofx.Sample{Time: i * period, PID: 1, TID: 2, Thread: "x", Stop: pprofx.StopRoot, Stack: page})
			b.Add(in.Cut(i * period))
		}
	}
	b.Add(in.Cut(1000 * period))
	r := b.Report()
	want := []Stall{{
		Length: 90 * period, PID: 1, TID: 1, Thread: "node", Samples: 90,
		Requests: []Request{{Route: "/page", Samples: 50}, {"/rank", trace, "a", 40}},
		Began:    Place{"sort", "/a.js", 4, 1},
		Path:     []Place{{"callback", "/a.js", 0, 90}},
		Calls:    []Place{{"page", "/a.js", 0, 50}, {"rank", "/a.js", 0, 40}},
		Own:      []Place{{"page", "/a.js", 4, 50}, {"sort", "/a.js", 4, 40}},
	}}
	if diff := cmp.Diff(want, r.Stalls); diff != "" {
		t.Error(diff)
	}
	if r.Loops != 1 || r.MoreStalls != 0 {
		t.Errorf("%d loops, %d further stalls", r.Loops, r.MoreStalls)
	}
}

// A turn waits for 30 ms, runs for two periods, and waits for 40 ms.
func TestStallsOfWallTime(t *testing.T) {
	const ms = int64(1e6)
	in, err := pprofx.NewBuilder(0, 10*ms)
	if err != nil {
		t.Fatal(err)
	}
	in.SetMeasure(pprofx.WallTime)
	read, spin := stallFrames("readSync", "load"), stallFrames("spin", "load")
	add := func(stack []*pprofx.Frame, at, weight int64, cpu string, turn uint64) {
		in.Add(&pprofx.Sample{Time: at * ms, PID: 1, TID: 1, Thread: "node", Stop: pprofx.StopRoot, Turn: turn,
			Weight: weight * ms, Stack: stack, Labels: []pprofx.Label{{Key: pprofx.CPULabel, Str: cpu}}})
	}
	add(spin, 5, 10, "on", 6)
	add(read, 130, 30, "off", 7)
	add(spin, 135, 10, "on", 7)
	add(spin, 145, 10, "on", 7)
	add(read, 190, 40, "off", 7)
	add(spin, 196, 10, "on", 8)
	add(read, 300, 95, "off", 9) // the turn has no other sample
	b := NewBuilder("")
	b.Add(in.Cut(1000 * ms))
	of := func(name string, line int, n int64) Place { return Place{name, "/a.js", line, n * ms} }
	stall := func(start, length, off, samples int64) Stall {
		return Stall{
			Start: start * ms, Length: length * ms, Off: off * ms, Samples: samples * ms, PID: 1, TID: 1,
			Thread: "node", Requests: []Request{{Samples: samples * ms}}, Began: of("readSync", 8, off),
			Path: []Place{of("load", 0, samples)}, Calls: []Place{}, Own: []Place{of("readSync", 8, off)},
		}
	}
	mixed, wait := stall(100, 90, 70, 90), stall(205, 95, 95, 95)
	mixed.Began = of("readSync", 8, 30)
	mixed.Path = append(mixed.Path, of("readSync", 0, 70))
	mixed.Own = append(mixed.Own, of("spin", 4, 20))
	wait.Path = append(wait.Path, of("readSync", 0, 95))
	if diff := cmp.Diff([]Stall{wait, mixed}, b.Report().Stalls, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
