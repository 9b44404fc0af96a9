package cli

import (
	"context"
	"fmt"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

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
	s, full := newSummary(), newReports("")
	if err := s.Write(context.Background(), snapshot); err != nil {
		t.Fatal(err)
	}
	full.add(snapshot)
	short, all := s.of.all()[0], full.all()[0]
	if len(short.Traces) != 0 || len(all.Traces) != n {
		t.Errorf("%d traces, of %d", len(short.Traces), len(all.Traces))
	}
	if len(short.Routes) != 1 || short.Routes[0] != all.Routes[0] || short.Samples != n {
		t.Errorf("%d samples, routes %v, want %v", short.Samples, short.Routes, all.Routes)
	}
}
