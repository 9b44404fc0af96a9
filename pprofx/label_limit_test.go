package pprofx_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// TestLabelSetsAreLimited: a sample beyond the limit keeps the labels that are no ids, or says that it has lost all.
func TestLabelSetsAreLimited(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetLimits(pprofx.Limits{LabelSets: 2})
	route := func(r string) pprofx.Label { return pprofx.Label{Key: "http.route", Str: r} }
	span := func(s string) pprofx.Label { return pprofx.Label{Key: "span_id", Str: s} }
	left := func(what string) pprofx.Label { return pprofx.Label{Key: pprofx.LeftOutLabel, Str: what} }
	cases := []struct{ add, want []pprofx.Label }{
		{[]pprofx.Label{route("/a"), span("1")}, []pprofx.Label{route("/a"), span("1")}},
		{[]pprofx.Label{route("/a"), span("2")}, []pprofx.Label{route("/a"), span("2")}},
		{[]pprofx.Label{left("mine"), route("/a"), {Key: "local_root_span_id", Str: "5"}, span("3"),
			{Key: "trace_id", Str: "4"}},
			[]pprofx.Label{left(pprofx.LeftOutIDs), route("/a")}},
		{[]pprofx.Label{route("/a"), span("4")}, []pprofx.Label{left(pprofx.LeftOutIDs), route("/a")}},
		{[]pprofx.Label{route("/a"), span("1")}, []pprofx.Label{route("/a"), span("1")}},
		{[]pprofx.Label{route("/a")}, []pprofx.Label{route("/a")}},
		{[]pprofx.Label{route("/b")}, []pprofx.Label{left(pprofx.LeftOutAll)}},
		{[]pprofx.Label{route("/b"), span("4")}, []pprofx.Label{left(pprofx.LeftOutAll)}},
		{nil, nil},
	}
	for i, c := range cases {
		b.Add(&pprofx.Sample{Time: int64(i), Labels: c.add})
	}
	s := b.Cut(100)
	for i, c := range cases {
		if diff := cmp.Diff(c.want, s.LabelSets[s.Rows[i].Labels]); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
	}
	checkTables(t, s)
	if diff := cmp.Diff(pprofx.LeftOut{IDs: 2, Labels: 2}, s.LeftOut()); diff != "" {
		t.Error(diff)
	}
	var file bytes.Buffer
	if err := pprof.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ids left out: 2 hotspan.left_out", "labels left out: 2 hotspan.left_out"},
		p.Comments); diff != "" {
		t.Error(diff)
	}
}

// TestLabelLimitProperty: whatever the limit, no more sets are kept, and no sample changes but by what is named.
func TestLabelLimitProperty(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		g, limit := pprofxtest.NewGenerator(r), 1+r.IntN(12)
		b := pprofxtest.NewBuilder(0, 1)
		b.SetLimits(pprofx.Limits{LabelSets: limit})
		var added []*pprofx.Sample
		for i := range int64(300) {
			s := g.Sample(i)
			added = append(added, s)
			b.Add(s)
		}
		s := b.Cut(300)
		var want pprofx.LeftOut
		kept := map[string]bool{} // the first sets, as many as the limit: the generator makes no ids
		for i, row := range s.Rows {
			set := fmt.Sprint(added[i].Labels)
			switch {
			case len(added[i].Labels) == 0 || kept[set]:
			case len(kept) < limit:
				kept[set] = true
			default:
				want.Labels++
				added[i].Labels = []pprofx.Label{{Key: pprofx.LeftOutLabel, Str: pprofx.LeftOutAll}}
			}
			if diff := cmp.Diff(added[i], unpack(s, row)); diff != "" {
				t.Fatalf("seed %d, sample %d: %s", seed, i, diff)
			}
		}
		if got := s.LeftOut(); got != want || len(s.LabelSets) > limit+2 {
			t.Fatalf("seed %d: %+v, want %+v; %d sets, limit %d", seed, got, want, len(s.LabelSets), limit)
		}
	}
}
