package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

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
