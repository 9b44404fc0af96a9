package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// earlier is a recording of 10 s of the day before, with a third as many samples of a route, and of a function, in
// another folder.
func earlier(t *testing.T) *pprofx.Snapshot {
	t.Helper()
	const day = int64(24 * time.Hour)
	n := 0
	all := recording(t)[0]
	s := all.Where(func(r *pprofx.Row) bool {
		rare := slices.ContainsFunc(all.LabelSets[r.Labels], func(l pprofx.Label) bool { return l.Str == "/search" }) ||
			slices.ContainsFunc(all.Stacks[r.Stack], func(f int32) bool { return all.Frames[f].Function == "walk" })
		if rare {
			n++
		}
		return !rare || n%3 == 0
	})
	s.Start, s.End = s.Start-day, s.End-day
	for i := range s.Rows {
		s.Rows[i].Time -= day
	}
	for i, f := range s.Frames {
		moved := *f
		moved.File = strings.Replace(f.File, "/srv/", "/opt/41/", 1)
		s.Frames[i] = &moved
	}
	return s
}

// compared is what hotspan diff --json prints.
type compared struct {
	Old, New          struct{ Samples int64 }
	Routes, Functions []change
	Classes           []change
}

type change struct {
	Name, File string
	Old, New   float64
}

// shownDiff is what diff.mjs prints.
type shownDiff struct {
	Samples, WithoutOld, Reloaded, Back []int64
	Selection, Facts, Said              string
	Routes, Classes, Functions          [][]string
	Recorded                            [][]string
	Wrong                               []string
}

// TestDiff: a page of two recordings shows the shares of hotspan diff --json.
func TestDiff(t *testing.T) {
	hotspan, dir := filepath.Join(commands(t), "hotspan"), t.TempDir()
	before, after := writeOTLP(t, earlier(t)), writeOTLP(t, recording(t)...)
	moved := []string{"--moved", "/opt/41=/srv", before, after}
	text, err := exec.Command(hotspan, append([]string{"diff", "--per", "cpu", "--json"}, moved...)...).Output()
	var want compared
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "x.html")
	out, err := exec.Command(hotspan, append([]string{"diff", "-o", page}, moved...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got shownDiff
	run(t, &got, "diff.mjs", page, os.Getenv("HOTSPAN_SCREENSHOTS"))
	both := []int64{want.New.Samples, want.Old.Samples}
	for name, samples := range map[string][]int64{"at first": got.Samples, "back": got.Back} {
		if diff := gocmp.Diff(both, samples); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := gocmp.Diff(got.WithoutOld, got.Reloaded); diff != "" || len(got.WithoutOld) != 1 || len(got.Wrong) > 0 {
		t.Errorf("without the old one: %v, reloaded %v; %q", got.WithoutOld, got.Reloaded, got.Wrong)
	}
	compareChanges(t, "routes", want.Routes, got.Routes)
	compareChanges(t, "what the CPU did", want.Classes, got.Classes)
	compareOwn(t, want.Functions, got.Functions)
	compareTimes(t, &got)
	compareSaid(t, got.Said, both)
}

// compareOwn compares the table of functions, by their own samples.
func compareOwn(t *testing.T, want []change, got [][]string) {
	t.Helper()
	functions := map[string]bool{}
	for _, c := range want {
		functions[fmt.Sprintf("%s %s %s", shown(c.Name), percent(c.New), percent(c.Old))] = true
	}
	for _, cells := range got {
		// A function without samples of its own is in the table of the page only.
		name := fmt.Sprintf("%s %s %s", cells[0], cells[2], cells[3])
		if !functions[name] && !strings.HasSuffix(name, " 0.0 % 0.0 %") {
			t.Errorf("function %s is not in %v", name, slices.Sorted(maps.Keys(functions)))
		}
		delete(functions, name)
	}
	if len(functions) > 0 {
		t.Errorf("the page lacks %v", slices.Sorted(maps.Keys(functions)))
	}
}

// compareSaid compares what is said of a frame of the flame graph with the samples of both sides.
func compareSaid(t *testing.T, said string, both []int64) {
	t.Helper()
	sides := []int64{0, 0}
	for i, side := range [][]*pprofx.Snapshot{recording(t), {earlier(t)}} {
		b := report.NewBuilder("")
		for _, s := range side {
			b.Add(s)
		}
		for _, f := range b.Report().Functions {
			if f.Name == "uv_run" {
				sides[i] = f.Total
			}
		}
	}
	saidOf := fmt.Sprintf("uv_run /usr/bin/node A %s (%d samples", percent(float64(sides[0])/float64(both[0])),
		sides[0])
	said = strings.ReplaceAll(said, ",", "")
	if !strings.HasPrefix(said, saidOf) || !strings.Contains(said, fmt.Sprintf("B %s (%d samples",
		percent(float64(sides[1])/float64(both[1])), sides[1])) {
		t.Errorf("%q, want %v samples of %v", said, sides, both)
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// compareChanges compares rows of a table: name, share of the new one, of the old one, and the difference.
func compareChanges(t *testing.T, what string, want []change, got [][]string) {
	t.Helper()
	rows := map[string][]string{}
	for _, c := range want {
		name := shown(c.Name)
		if name == "" {
			name = "(no route)"
		}
		difference := strings.Replace(fmt.Sprintf("%+.1f", 100*(c.New-c.Old)), "-", "−", 1)
		if strings.TrimLeft(difference, "+−") == "0.0" {
			difference = "0.0"
		}
		rows[name] = []string{name, percent(c.New), percent(c.Old), difference}
	}
	shares := map[string][]string{}
	for _, cells := range got {
		shares[cells[0]] = cells
	}
	if diff := gocmp.Diff(rows, shares); diff != "" || len(rows) < 3 {
		t.Errorf("%s: %s", what, diff)
	}
}

// compareTimes: each recording has its own times of day, though they stand side by side.
func compareTimes(t *testing.T, got *shownDiff) {
	t.Helper()
	newer := time.Unix(0, start).UTC()
	older := newer.Add(-24 * time.Hour)
	clock := func(at time.Time) string { return at.Format("15:04:05") }
	for _, want := range []string{
		"old, x.otlp: " + older.Format("2006-01-02 15:04:05") + " UTC, 10.0 s",
		"new, x.otlp: " + newer.Format("2006-01-02 15:04:05") + " UTC, 20.0 s",
	} {
		if !strings.Contains(got.Facts, want) {
			t.Errorf("%q lacks %q", got.Facts, want)
		}
	}
	for _, want := range []string{
		"A (new, x.otlp) ", "B (old, x.otlp) ", clock(newer) + ".", clock(older.Add(10 * time.Second)),
	} {
		if !strings.Contains(got.Selection, want) {
			t.Errorf("%q lacks %q", got.Selection, want)
		}
	}
	dates := map[string]bool{}
	for _, cells := range got.Recorded {
		dates[strings.Fields(cells[0])[0]] = true
	}
	for _, at := range []time.Time{older, newer} {
		if !dates[at.Format("2006-01-02")] {
			t.Errorf("%v is not among what was recorded: %v", at, got.Recorded)
		}
	}
}
