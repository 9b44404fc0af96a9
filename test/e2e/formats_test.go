package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// shown is what a file shows of a sample. What its format has no place for is empty.
type shown struct {
	PID, TID int
	Thread   string
	State    string
	Labels   string
	Stack    string // leaf first
}

// shownCounts are numbers of samples.
type shownCounts map[shown]int

// compare says which samples there are more or less of.
func (want shownCounts) compare(t *testing.T, what string, got shownCounts) {
	t.Helper()
	var diff []string
	for s, n := range got {
		if n != want[s] {
			diff = append(diff, fmt.Sprintf("%d, want %d: %+v", n, want[s], s))
		}
	}
	for s, n := range want {
		if got[s] == 0 {
			diff = append(diff, fmt.Sprintf("none, want %d: %+v", n, s))
		}
	}
	for _, line := range diff[:min(len(diff), 4)] {
		t.Errorf("%s: %d differ: %s", what, len(diff), line)
	}
}

// TestFormatsAgree: whatever format a recording of processes with workers and requests is converted to, each reader
// finds the same samples in it, stack by stack.
func TestFormatsAgree(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	recording := recordRequests(t)
	dir := t.TempDir()
	samples := compareFormats(t, recording, dir, []format{
		{"x.pb.gz", readPprof, showAll}, {"x.collapsed", readCollapsed, showCollapsed},
		{"x.perf", readPerf, showPerf}, {"x.speedscope.json", readSpeedscope, showThread},
		{"x.firefox.json.gz", readFirefox, showThread},
	})
	for _, file := range []string{recording, filepath.Join(dir, "x.jsonl"), filepath.Join(dir, "x.pb.gz")} {
		compareReport(t, file, samples)
	}
	compareTraces(t, recording, samples)
	compareItself(t, recording)
}

// TestFormatsOfWaits: the same of waits and CPU time in one recording, in the formats that have room for both.
func TestFormatsOfWaits(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	recording := recordRequests(t, "--wall")
	samples := compareFormats(t, recording, t.TempDir(), []format{
		{"x.pb.gz", readPprofTime, showAll}, {"x.collapsed", readCollapsed, showCollapsed},
	})
	compareReport(t, recording, samples)
}

// format is a format of files, how they are read, and what they show of a sample.
type format struct {
	name string
	read func(*testing.T, string) shownCounts
	show func(*judge.Sample) shown
}

// compareFormats converts a recording to JSON lines and to other formats, compares these, and returns the samples.
func compareFormats(t *testing.T, recording, dir string, formats []format) []judge.Sample {
	t.Helper()
	convert := func(name string) string {
		out := filepath.Join(dir, name)
		if r := run(t, "convert", recording, out); r.Code != 0 {
			t.Fatalf("%s: %s", name, r.Stderr)
		}
		return out
	}
	samples := readSamples(t, convert("x.jsonl"))
	for _, f := range formats {
		want := shownCounts{}
		for i := range samples {
			want[f.show(&samples[i])] += int(cmp.Or(samples[i].Weight, 1))
		}
		want.compare(t, f.name, f.read(t, convert(f.name)))
	}
	return samples
}

// recordRequests records two services with traces, and a program with workers and source maps, and returns the file.
func recordRequests(t *testing.T, more ...string) string {
	t.Helper()
	args := append([]string{"record", "-F", "499", "-d", "5s", "--label", "tenant=user.tenant"}, more...)
	for _, p := range []program{
		start(t, node24(t), "requests.js", nil, nil), start(t, node24(t), "requests.js", nil, []string{"SEED=2"}),
		start(t, node24(t), "maps.js", nil, []string{"FOLDER=" + t.TempDir()}),
	} {
		args = append(args, "-p", strconv.Itoa(p.PID))
	}
	file := filepath.Join(t.TempDir(), "cpu.otlp")
	r := run(t, append(args, "-o", file)...)
	if t.Logf("%s", r.Stderr); r.Code != 0 {
		t.Fatalf("hotspan ended with %d", r.Code)
	}
	return file
}

// joined puts the frames of a stack together.
func joined(s *judge.Sample, text func(*judge.Frame) string) string {
	var all []string
	for i := range s.Stack {
		all = append(all, text(&s.Stack[i]))
	}
	return strings.Join(all, "\n")
}

// at is a function with the line and column of the point of execution.
func at(function, file string, line, column int) string {
	return fmt.Sprintf("%s %s:%d:%d", function, file, line, column)
}

func showAll(s *judge.Sample) shown {
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		labels = append(labels, fmt.Sprint(key, "=", s.Labels[key]))
	}
	to := showThread(s)
	to.State, to.Labels = s.State, strings.Join(labels, " ")
	return to
}

func showThread(s *judge.Sample) shown {
	return shown{PID: s.PID, TID: s.TID, Thread: s.Thread, Stack: joined(s, func(f *judge.Frame) string {
		return at(f.F, cmp.Or(f.File, f.Mod), f.Line, f.Col)
	})}
}

// lineOf is how text formats write a frame.
func lineOf(f *judge.Frame) string {
	text := f.F
	if f.File != "" {
		text += " " + f.File
	}
	if f.Line > 0 {
		text += ":" + strconv.Itoa(f.Line)
	}
	return text
}

func showCollapsed(s *judge.Sample) shown {
	return shown{Thread: s.Thread, Stack: joined(s, func(f *judge.Frame) string {
		if f.Kind == "kernel" {
			return lineOf(f) + "_[k]"
		}
		return strings.ReplaceAll(lineOf(f), ";", ":")
	})}
}

func showPerf(s *judge.Sample) shown {
	return shown{PID: s.PID, TID: s.TID, Thread: strings.ReplaceAll(s.Thread, " ", "_"),
		Stack: joined(s, func(f *judge.Frame) string {
			if f.Kind == "native" || f.Kind == "kernel" {
				return strings.ReplaceAll(f.F, "(anonymous namespace)", "[anonymous namespace]")
			}
			return strings.NewReplacer("(", "[", ")", "]", "->", "→").Replace(lineOf(f))
		})}
}
