package pprofx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/jsonl"
)

// lines are the samples of snapshots, one after the other.
func lines(t *testing.T, snapshots ...*pprofx.Snapshot) (all []string) {
	t.Helper()
	for _, s := range snapshots {
		var b bytes.Buffer
		if err := jsonl.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(strings.TrimSpace(b.String()), "\n")...)
	}
	return all
}

var ofProcess1 = regexp.MustCompile(`^{"t":[0-9]+,"pid":1,`)

func TestWhere(t *testing.T) {
	s := pprofxtest.Random(t, 1)
	got := s.Where(func(r *pprofx.Row) bool { return r.PID == 1 })
	want := slices.DeleteFunc(lines(t, s), func(l string) bool { return !ofProcess1.MatchString(l) })
	if diff := cmp.Diff(want, lines(t, got)); diff != "" || len(want) < 50 {
		t.Errorf("%d samples: %s", len(want), diff)
	}
	if diff := cmp.Diff(map[int]pprofx.Process{1: {Service: "one"}}, got.Processes); diff != "" {
		t.Error(diff)
	}
	if got.Start != 0 || got.End != 500 || got.Period != 10 || got.Lost[pprofx.LostExited] != 3 {
		t.Errorf("%+v", got)
	}
}

func TestHalves(t *testing.T) {
	s := pprofxtest.Random(t, 2)
	a, b := s.Halves()
	if diff := cmp.Diff(lines(t, s), lines(t, a, b)); diff != "" || len(a.Rows) != 250 {
		t.Errorf("%d rows in the first: %s", len(a.Rows), diff)
	}
	if a.Lost[pprofx.LostExited] != 3 || len(b.Lost) != 0 {
		t.Errorf("losses %v and %v, want them once", a.Lost, b.Lost)
	}
}

// TestKeepLabels: each sample has the labels that are kept, and no set of them is there twice.
func TestKeepLabels(t *testing.T) {
	s := pprofxtest.Random(t, 3)
	dropped := ""
	for _, set := range s.LabelSets {
		if len(set) > 0 {
			dropped = set[0].Key
		}
	}
	without := func(line string) map[string]any {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatal(err)
		}
		if labels, ok := object["labels"].(map[string]any); ok {
			if delete(labels, dropped); len(labels) == 0 {
				delete(object, "labels")
			}
		}
		return object
	}
	got := s.KeepLabels(func(l *pprofx.Label) bool { return l.Key != dropped })
	before, after := lines(t, s), lines(t, got)
	changed := 0
	for i := range before {
		var have map[string]any
		if err := json.Unmarshal([]byte(after[i]), &have); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(without(before[i]), have); diff != "" {
			t.Fatal(diff)
		}
		if before[i] != after[i] {
			changed++
		}
	}
	seen := map[string]bool{}
	for _, set := range got.LabelSets {
		var key []byte
		for i := range set {
			key = fmt.Appendf(key, "%#v", set[i])
		}
		if seen[string(key)] {
			t.Errorf("%v twice", set)
		}
		seen[string(key)] = true
	}
	if changed < 50 || len(before) != len(after) {
		t.Errorf("%d of %d samples changed, %d left", changed, len(before), len(after))
	}
}
