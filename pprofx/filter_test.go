package pprofx_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// jsonSample is what the test reads of a JSON line.
type jsonSample struct {
	T      int64
	PID    int
	Labels map[string]any
}

// chosen returns the lines of a snapshot's samples that want accepts.
func chosen(t *testing.T, s *pprofx.Snapshot, want func(jsonSample) bool) []string {
	t.Helper()
	return slices.DeleteFunc(lines(t, s), func(line string) bool {
		var sample jsonSample
		if err := json.Unmarshal([]byte(line), &sample); err != nil {
			t.Fatal(err)
		}
		return !want(sample)
	})
}

func TestFilter(t *testing.T) {
	s := pprofxtest.Random(t, 3)
	var label pprofx.Label
	for _, set := range s.LabelSets {
		for _, l := range set {
			if l.Str != "" {
				label = l
			}
		}
	}
	for name, c := range map[string]struct {
		filter pprofx.Filter
		want   func(jsonSample) bool
	}{
		"all":     {pprofx.Filter{}, func(jsonSample) bool { return true }},
		"time":    {pprofx.Filter{From: 100, To: 300}, func(s jsonSample) bool { return s.T >= 100 && s.T < 300 }},
		"service": {pprofx.Filter{Services: []string{"two"}}, func(s jsonSample) bool { return s.PID == 2 }},
		"process": {pprofx.Filter{Since: map[int]int64{1: 250}},
			func(s jsonSample) bool { return s.PID == 1 && s.T >= 250 }},
		"no process": {pprofx.Filter{Since: map[int]int64{}}, func(jsonSample) bool { return false }},
		"label": {pprofx.Filter{Labels: []pprofx.LabelFilter{{Key: label.Key, Values: []string{"-", label.Str}}}},
			func(s jsonSample) bool { return s.Labels[label.Key] == label.Str }},
		"any value": {pprofx.Filter{Labels: []pprofx.LabelFilter{{Key: label.Key}}},
			func(s jsonSample) bool { return s.Labels[label.Key] != nil }},
		"two": {pprofx.Filter{From: 200, Services: []string{"one"}, Labels: []pprofx.LabelFilter{{Key: label.Key}}},
			func(s jsonSample) bool { return s.T >= 200 && s.PID == 1 && s.Labels[label.Key] != nil }},
	} {
		want := chosen(t, s, c.want)
		if diff := cmp.Diff(want, lines(t, c.filter.Apply(s)), cmp.Transformer("", nonEmpty)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(want) == 0 && name != "no process" {
			t.Errorf("%s: the test chooses nothing", name)
		}
	}
	for _, f := range []pprofx.Filter{{From: 501}, {To: -1}} {
		if got := f.Apply(s); got != nil {
			t.Errorf("%+v: %d samples of another time", f, len(got.Rows))
		}
	}
}

// nonEmpty leaves out the line that a snapshot without samples is for lines.
func nonEmpty(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == "" })
}

func TestMatchesName(t *testing.T) {
	names := []string{"http.route", "user.*"}
	for name, want := range map[string]bool{
		"http.route": true, "http.routes": false, "user.id": true, "user": false, "": false,
	} {
		if pprofx.MatchesName(name, names) != want {
			t.Errorf("%q: not %v", name, want)
		}
	}
}
