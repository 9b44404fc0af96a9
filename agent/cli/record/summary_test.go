package record

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// The end of a recording says the most important of it.
func TestSummary(t *testing.T) {
	s := newSummary()
	add := func(one *pprofx.Snapshot) error { return s.Write(t.Context(), one) }
	err := new(recording.FilterFlags).EachSnapshot(terminal.Console{}, []string{recordingtest.Ranking(t)}, add)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.print(terminal.Console{Writer: &out})
	want := `
CPU by route
     500 ms  50.0 %  (no route)
     500 ms  50.0 %  /ranking                            gc 60 %

CPU by function: self, with what V8, Node and the kernel did for it; total, with callees; hottest line
     500 ms     500 ms  50.0 %  idle                                x/idle.js:3
     500 ms     500 ms  50.0 %  rank [2J                            routes/ranking.js:7, gc 60 %

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	if newSummary().print(terminal.Console{Writer: &out}); out.Len() > 0 {
		t.Errorf("of nothing: %s", &out)
	}
}

// TestSummaryWithoutRoutes: where no request has a route, the first of the user's labels is what counts.
func TestSummaryWithoutRoutes(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(4) {
		s := &pprofx.Sample{Time: 1 + i, PID: 1, Stop: pprofx.StopRoot}
		if i > 0 {
			s.Labels = []pprofx.Label{{Key: "shop", Str: "north"}, {Key: "tenant", Str: "acme"}}
		}
		b.Add(s)
	}
	s := newSummary(reqctx.Rule{Label: "tenant"}, reqctx.Rule{Label: "shop"})
	if err := s.Write(t.Context(), b.Cut(10)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.print(terminal.Console{Writer: &out})
	want := `
CPU by tenant
      30 ms  75.0 %  acme                                native 100 %
      10 ms  25.0 %  (no tenant)                         native 100 %

CPU by function: self, with what V8, Node and the kernel did for it; total, with callees; hottest line
      40 ms      40 ms  100.0 %  [no stack]                          native 100 %

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSummaryTag: pprof is offered a label that samples have.
func TestSummaryTag(t *testing.T) {
	rules := []reqctx.Rule{{Label: "shop"}, {Label: "tenant"}}
	for want, labels := range map[string][]pprofx.Label{
		"":           {{Key: "trace_id", Str: "1"}, {Key: "other", Str: "x"}},
		"tenant":     {{Key: "tenant", Str: "acme"}, {Key: "trace_id", Str: "1"}},
		"http.route": {{Key: "http.route", Str: "/"}, {Key: "shop", Str: "x"}},
	} {
		s := newSummary(rules...)
		if err := s.Write(t.Context(), &pprofx.Snapshot{LabelSets: [][]pprofx.Label{labels}}); err != nil {
			t.Fatal(err)
		}
		if got := s.tag(); got != want {
			t.Errorf("%v: %q, want %q", labels, got, want)
		}
	}
}

// TestSummaryKeepsNoTraces: what the short report keeps does not grow with the traces, of which each may have one
// sample. All else of the report is there.
func TestSummaryKeepsNoTraces(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	for i := range n {
		b.Add(&pprofx.Sample{Time: int64(1 + i), Labels: []pprofx.Label{
			{Key: "http.route", Str: "/a"}, {Key: "trace_id", Str: fmt.Sprintf("%032x", i)},
		}})
	}
	snapshot := b.Cut(1 + n)
	s, full := newSummary(), tables.NewReports("")
	if err := s.Write(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}
	full.Add(snapshot)
	short, all := s.of.All()[0], full.All()[0]
	if len(short.Traces) != 0 || len(all.Traces) != n {
		t.Errorf("%d traces, of %d", len(short.Traces), len(all.Traces))
	}
	if len(short.Routes) != 1 || short.Routes[0] != all.Routes[0] || short.Samples != n {
		t.Errorf("%d samples, routes %v, want %v", short.Samples, short.Routes, all.Routes)
	}
}
