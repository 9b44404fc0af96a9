package pprofx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLabelSetsAreLimited: a sample beyond the limit keeps the labels that are no ids, or says that it has lost all.
func TestLabelSetsAreLimited(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.tables = newTables(9, 9, 2)
	route := func(r string) Label { return Label{Key: "http.route", Str: r} }
	id := func(key, s string) Label { return Label{Key: key, Str: s} }
	left := func(what string) Label { return Label{Key: LeftOutLabel, Str: what} }
	for i, c := range []struct{ add, want []Label }{
		{[]Label{route("/a"), id(spanID, "1")}, []Label{route("/a"), id(spanID, "1")}},
		{[]Label{route("/a"), id(spanID, "2")}, []Label{route("/a"), id(spanID, "2")}},
		{[]Label{left("mine"), route("/a"), id(rootSpanID, "5"), id(spanID, "3"), id(traceID, "4")},
			[]Label{left(LeftOutIDs), route("/a")}},
		{[]Label{route("/a"), id(spanID, "4")}, []Label{left(LeftOutIDs), route("/a")}},
		{[]Label{route("/a"), id(spanID, "1")}, []Label{route("/a"), id(spanID, "1")}},
		{[]Label{route("/a")}, []Label{route("/a")}},
		{[]Label{route("/b")}, []Label{left(LeftOutAll)}},
		{[]Label{route("/b"), id(spanID, "4")}, []Label{left(LeftOutAll)}},
		{nil, nil},
	} {
		b.Add(&Sample{Time: int64(i), Labels: c.add})
		if diff := cmp.Diff(c.want, b.tables.labels[b.rows[i].Labels]); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
	}
	s := b.Cut(100)
	checkTables(t, s)
	if diff := cmp.Diff(LeftOut{IDs: 2, Labels: 2}, s.LeftOut()); diff != "" {
		t.Error(diff)
	}
	p := roundTrip(t, s)
	if diff := cmp.Diff([]string{"ids left out: 2 hotspan.left_out", "labels left out: 2 hotspan.left_out"},
		p.Comments); diff != "" {
		t.Error(diff)
	}
}

// TestLabelLimitProperty: whatever the limit, no more sets are kept, and no sample changes but by what is named.
func TestLabelLimitProperty(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		g, limit := newGenerator(r), r.IntN(12)
		b := newTestBuilder(0, 1)
		b.tables = newTables(MaxFrames, MaxStacks, limit)
		var added []*Sample
		for i := range int64(300) {
			s := g.sample(i)
			added = append(added, s)
			b.Add(s)
		}
		s := b.Cut(300)
		var want LeftOut
		kept := map[string]bool{} // the first sets, as many as the limit: the generator makes no ids
		for i, row := range s.Rows {
			set := fmt.Sprint(added[i].Labels)
			switch {
			case len(added[i].Labels) == 0 || kept[set]:
			case len(kept) < limit:
				kept[set] = true
			default:
				want.Labels++
				added[i].Labels = []Label{{Key: LeftOutLabel, Str: LeftOutAll}}
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
