package pprofx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// grouped is a snapshot with so many samples of each route; those of "" have no label.
func grouped(t *testing.T, samples map[string]int) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for route, n := range samples {
		all = append(all, slices.Repeat([]string{route}, n)...)
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i, route := range all {
		s := &pprofx.Sample{Time: int64(i), PID: 1 + i%2, TID: i, Stop: pprofx.StopRoot}
		s.Stack = []*pprofx.Frame{{Function: "f"}}
		if route != "" {
			s.Labels = []pprofx.Label{{Key: "http.route", Str: route}, {Key: "tenant", Num: int64(len(route))}}
		}
		b.Add(s)
	}
	b.Lose(pprofx.LostLate, 2)
	return b.Cut(int64(len(all)))
}

func sizes(groups []pprofx.Group) (all []string) {
	for _, g := range groups {
		all = append(all, fmt.Sprint(g.Value, " ", len(g.Rows)))
	}
	return all
}

func TestGroupBy(t *testing.T) {
	s := grouped(t, map[string]int{"/a": 5, "/b": 7, "/c": 5, "": 6})
	if diff := cmp.Diff([]string{"/b 7", " 6", "/a 5", "/c 5"}, sizes(s.GroupBy("http.route"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"2 17", " 6"}, sizes(s.GroupBy("tenant"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{" 23"}, sizes(s.GroupBy("nothing"))); diff != "" {
		t.Error(diff)
	}
	if groups := s.Where(func(*pprofx.Row) bool { return false }).GroupBy("http.route"); len(groups) != 0 {
		t.Errorf("%v of no row", groups)
	}
}

// Beyond the limit the values with fewest rows are one group; rows without the label are none of them.
func TestGroupByLimit(t *testing.T) {
	for _, unlabelled := range []int{0, 1, 999} {
		samples := map[string]int{"": unlabelled, "/few": 1, "/fewer": 1}
		for i := range pprofx.MaxGroups {
			samples[fmt.Sprint("/", i)] = 2 + i
		}
		s := grouped(t, samples)
		groups := s.GroupBy("http.route")
		got := map[string]int{}
		for _, g := range groups {
			got[g.Value] = len(g.Rows)
		}
		delete(samples, "/few")
		delete(samples, "/fewer")
		if samples[pprofx.OtherValue] = 2; unlabelled == 0 {
			delete(samples, "")
		}
		if diff := cmp.Diff(samples, got); diff != "" || groups[len(groups)-1].Value != pprofx.OtherValue {
			t.Errorf("%d without a label: %s", unlabelled, diff)
		}
		checkSplit(t, s, groups)
	}
}

// A value that is called like the rest is part of it.
func TestGroupByOther(t *testing.T) {
	samples := map[string]int{pprofx.OtherValue: 500}
	for i := range pprofx.MaxGroups + 5 {
		samples[fmt.Sprint("/", i)] = 2
	}
	s := grouped(t, samples)
	groups := s.GroupBy("http.route")
	last := groups[len(groups)-1]
	if len(groups) != pprofx.MaxGroups || last.Value != pprofx.OtherValue || len(last.Rows) != 512 {
		t.Errorf("%d groups, the last %s with %d rows", len(groups), last.Value, len(last.Rows))
	}
	checkSplit(t, s, groups)
}

// checkSplit checks that the parts of a snapshot have its samples, each once, and its losses.
func checkSplit(t *testing.T, s *pprofx.Snapshot, groups []pprofx.Group) {
	t.Helper()
	parts := s.Split(groups)
	got, want := lines(t, parts...), lines(t, s)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, p := range parts {
		if err := p.Check(); err != nil || p.Start != s.Start || p.End != s.End || (len(p.Lost) == 0) != (i > 0) {
			t.Errorf("part %d: [%d, %d), lost %v, %v", i, p.Start, p.End, p.Lost, err)
		}
		if !slices.IsSortedFunc(p.Rows, func(a, b pprofx.Row) int { return int(a.Time - b.Time) }) {
			t.Errorf("part %d is not in order of time", i)
		}
	}
}
