package viewers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/viewers"
	"github.com/hotspan/hotspan/test/nodes"
)

// understood is what a script prints.
type understood struct {
	Name     string
	Profiles []profile
}

type profile struct {
	Name, Unit  string
	Functions   []function
	Total, Busy float64
	During      int
	Categories  map[string]int
}

// function is a function with the line and column of the point of execution, which scripts print from 1.
type function struct {
	Name, File          string
	Line, Column, Ticks int
	Self, Total, Hits   float64 // in the unit of the profile
}

func (f *function) String() string {
	return fmt.Sprintf("%s %s:%d:%d", f.Name, f.File, f.Line, f.Column)
}

func open(t *testing.T, script string, args ...string) understood {
	t.Helper()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, append([]string{script}, args...)...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s: %v\n%s", script, err, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var u understood
	if err := json.Unmarshal(out, &u); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return u
}

// line is a line of pprofx's JSON lines, from which the tests know what is in the snapshots.
type line struct {
	PID, TID      int
	Time          int64 `json:"t"`
	Thread, State string
	Stack         []frame
	Labels        map[string]string
}

type frame struct {
	Function string `json:"f"`
	File     string
	Module   string `json:"mod"`
	Line     int
	Column   int `json:"col"`
}

func lines(t *testing.T, snapshots []*pprofx.Snapshot) []line {
	t.Helper()
	var text bytes.Buffer
	for _, s := range snapshots {
		if err := jsonl.Write(&text, s); err != nil {
			t.Fatal(err)
		}
	}
	var all []line
	for d := json.NewDecoder(&text); ; {
		var l line
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

// counts are samples by function: those in which it is the leaf, and those in which it is anywhere.
type counts struct{ self, total map[string]int }

func count(all []line, collector bool) counts {
	c := counts{map[string]int{}, map[string]int{}}
	for _, l := range all {
		var names []string
		if collector && l.State == "gc" {
			names = append(names, (&function{Name: "(garbage collector)"}).String())
		}
		for _, f := range l.Stack {
			names = append(names, (&function{
				Name: f.Function, File: cmp.Or(f.File, f.Module), Line: f.Line, Column: f.Column,
			}).String())
		}
		c.self[names[0]]++
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			c.total[name]++
		}
	}
	return c
}

// compare compares the times of a profile with counts of samples of a period. Times that are rounded may be off by one
// for each sample.
func compare(t *testing.T, p *profile, want counts, period, rounding float64) {
	t.Helper()
	seen := 0
	for i := range p.Functions {
		f := &p.Functions[i]
		if f.Name == "(root)" || f.Name == "(idle)" {
			continue
		}
		seen++
		name := f.String()
		self, total := float64(want.self[name]), float64(want.total[name])
		if total == 0 || math.Abs(f.Self-self*period) > self*rounding+1e-6*period ||
			math.Abs(f.Total-total*period) > total*rounding+1e-6*period {
			t.Errorf("%s: %s: %.1f own and %.1f in all, want %v and %v times %v", p.Name, name, f.Self, f.Total, self,
				total, period)
		}
	}
	if seen != len(want.total) {
		t.Errorf("%s: %d functions, want %d", p.Name, seen, len(want.total))
	}
}

func write(t *testing.T, format pprofx.Format, snapshots []*pprofx.Snapshot) (name string, left pprofx.LeftOut) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "x"+viewers.Extension(format))
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := viewers.NewWriter(f, format)
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	left = w.LeftOut()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name, left
}

// of returns the lines of a thread.
func of(all []line, pid, tid int) []line {
	return slices.DeleteFunc(slices.Clone(all), func(l line) bool { return l.PID != pid || l.TID != tid })
}

func TestSpeedscope(t *testing.T) {
	snapshots := recording(t)
	all := lines(t, snapshots)
	file, left := write(t, viewers.Speedscope, snapshots)
	got := open(t, "speedscope.mjs", file)
	want := fmt.Sprintf("hotspan: %d samples, lost: 14 ring buffer full, 2 process exited", len(all))
	if got.Name != want || left != (pprofx.LeftOut{}) {
		t.Errorf("name %q, want %q; left out %+v", got.Name, want, left)
	}
	names := []string{
		"shop MainThread 42/42", "other 7/7", "shop V8 Worker 42/45", "other <worker> \uFFFD 7/9",
	}
	if len(got.Profiles) != len(names) {
		t.Fatalf("%d profiles, want %d", len(got.Profiles), len(names))
	}
	for i, p := range got.Profiles {
		var pid, tid int
		at := strings.LastIndexByte(p.Name, ' ') + 1
		if _, err := fmt.Sscanf(p.Name[at:], "%d/%d", &pid, &tid); err != nil || p.Name != names[i] {
			t.Errorf("profile %q, want %q (%v)", p.Name, names[i], err)
		}
		mine := of(all, pid, tid)
		compare(t, &p, count(mine, false), period, 0)
		if busy := float64(len(mine)) * period; p.Unit != "nanoseconds" || p.Total != seconds*1e9 || p.Busy != busy {
			t.Errorf("%s: %v of %v %s busy, want %v of %v", p.Name, p.Busy, p.Total, p.Unit, busy, seconds*1e9)
		}
	}
}

func TestCPUProfile(t *testing.T) {
	snapshots := recording(t)
	all := lines(t, snapshots)
	mine := of(all, 42, 42)
	want := count(mine, true)
	file, left := write(t, viewers.CPUProfile, snapshots)
	if left != (pprofx.LeftOut{OtherThreads: int64(len(all) - len(mine))}) {
		t.Errorf("left out: %+v", left)
	}
	devtools := open(t, "cpuprofile.mjs", file).Profiles[0]
	compare(t, &devtools, want, period/1e3, 1)
	if devtools.Total != seconds*1e6 {
		t.Errorf("%v µs, want %v", devtools.Total, seconds*1e6)
	}
	for _, f := range devtools.Functions {
		hits := float64(want.self[f.String()])
		if f.Name != "(idle)" && math.Abs(f.Hits-hits*period/1e3) > 0.02*hits*period/1e3 {
			t.Errorf("%v: %.0f µs by hits, want %.0f", &f, f.Hits, hits*period/1e3)
		}
		if f.Line > 0 && f.Ticks != want.self[f.String()] {
			t.Errorf("%v: %d ticks, want %v", &f, f.Ticks, hits)
		}
	}
	speedscope := open(t, "speedscope.mjs", file).Profiles[0]
	compare(t, &speedscope, want, period/1e3, 1)
}

// inFirefox is what a line has where the viewer knows no paths of libraries, and no columns.
func inFirefox(all []line) []line {
	var list []line
	for _, l := range all {
		l.Stack = slices.Clone(l.Stack)
		for i := range l.Stack {
			f := &l.Stack[i]
			f.Column = 0
			if f.Module != "" {
				f.File, f.Module = filepath.Base(f.Module), ""
			}
		}
		list = append(list, l)
	}
	return list
}

func TestFirefox(t *testing.T) {
	snapshots := recording(t)
	all := inFirefox(lines(t, snapshots))
	file, left := write(t, viewers.Firefox, snapshots)
	got := open(t, "firefox.mjs", file, t.TempDir(), "/cart")
	want := fmt.Sprintf("lost: 14 ring buffer full, lost: 2 process exited, samples: %d", len(all))
	if got.Name != want || left != (pprofx.LeftOut{}) || len(got.Profiles) != 4 {
		t.Errorf("%q, want %q; left out %+v; %d threads", got.Name, want, left, len(got.Profiles))
	}
	for _, p := range got.Profiles {
		var pid, tid int
		at := strings.LastIndexByte(p.Name, ' ') + 1
		if _, err := fmt.Sscanf(p.Name[at:], "%d/%d", &pid, &tid); err != nil {
			t.Errorf("thread %q: %v", p.Name, err)
		}
		mine := of(all, pid, tid)
		compare(t, &p, count(mine, false), 1, 0)
		during, categories := 0, map[string]int{}
		for _, l := range mine {
			if l.Labels["http.route"] == "/cart" {
				during++
			}
			categories[category(&l)]++
		}
		cpu := float64(len(mine)) * period / 1e6
		if p.During != during || int(p.Total) != len(mine) || math.Abs(p.Busy-cpu) > 1e-3 {
			t.Errorf("%s: %d of %v samples during /cart, want %d of %d; %v ms CPU, want %v", p.Name, p.During, p.Total,
				during, len(mine), p.Busy, cpu)
		}
		if !maps.Equal(p.Categories, categories) {
			t.Errorf("%s: %v, want %v", p.Name, p.Categories, categories)
		}
	}
}

func category(l *line) string {
	switch leaf := l.Stack[0]; {
	case l.State == "gc":
		return "GC"
	case leaf.File == "[kernel]":
		return "Kernel"
	default:
		return "JavaScript"
	}
}
