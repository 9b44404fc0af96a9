package pprof

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// roundTrip writes a snapshot and reads it with google/pprof.
func roundTrip(t *testing.T, s *pprofx.Snapshot) *profile.Profile {
	t.Helper()
	var buf bytes.Buffer
	if err := Write(&buf, s); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSampleForSample compares what google/pprof reads with the samples themselves, counted by a text of all that
// a pprof sample says.
func TestSampleForSample(t *testing.T) {
	for seed := range uint64(150) {
		s, samples := pprofxtest.NewGenerator(rand.New(rand.NewPCG(seed, 2))).Snapshot(int(seed) * 4)
		p := roundTrip(t, s)
		want := map[string][]int64{}
		for _, sample := range samples {
			addTo(want, sampleText(sample), 1, 10_101_010)
		}
		got := map[string][]int64{}
		for _, sample := range p.Sample {
			text := pprofText(sample)
			if got[text] != nil {
				t.Fatalf("seed %d: two samples are the same: %s", seed, text)
			}
			addTo(got, text, sample.Value...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		checkProfileTables(t, p)
	}
}

func addTo(sums map[string][]int64, key string, values ...int64) {
	if sums[key] == nil {
		sums[key] = make([]int64, len(values))
	}
	for i, v := range values {
		sums[key][i] += v
	}
}

// sampleText is the text of a sample as added. The code of a frame that is inlined is that of its caller.
func sampleText(s *pprofx.Sample) string {
	lines := make([]string, len(s.Stack))
	code := &pprofx.Frame{}
	for i, f := range slices.Backward(s.Stack) {
		inlined := f.Inlined && i+1 < len(s.Stack) && s.Stack[i+1].Kind != pprofx.Marker
		if !inlined {
			code = f
		}
		lines[i] = fmt.Sprintf("%v:%s %q:%d:%d inlined %t in %s %q at %#x", f.Kind, f.Function,
			f.File, f.Line, f.Column,
			inlined, wantModule(code), code.BuildID, code.Address)
	}
	labels := []string{
		fmt.Sprintf("pid=%d%s", s.PID, zeroCount(int64(s.PID), "")),
		fmt.Sprintf("thread_id=%d%s", s.TID, zeroCount(int64(s.TID), "")),
		"vm_state=" + s.State.String(),
	}
	if s.Thread != "" {
		labels = append(labels, "thread_name="+strings.ReplaceAll(s.Thread, "\xc3", "\uFFFD"))
	}
	for _, l := range s.Labels {
		key := strings.ReplaceAll(l.Key, "pid", "label.pid")
		if l.Str != "" {
			labels = append(labels, key+"="+l.Str)
		} else {
			labels = append(labels, fmt.Sprintf("%s=%d%s", key, l.Num, zeroCount(l.Num, l.Unit)))
		}
	}
	slices.Sort(labels)
	return strings.Join(append(lines, labels...), "\n")
}

func wantModule(f *pprofx.Frame) string {
	switch {
	case f.Module != "":
		return f.Module
	case f.Kind == pprofx.Marker:
		return "nothing"
	case f.Kind == pprofx.Native:
		return "[unknown]"
	}
	return "[v8]"
}

func zeroCount(n int64, unit string) string {
	if n == 0 && unit == "" {
		return "count"
	}
	return unit
}

// pprofText is the same text of a sample read back.
func pprofText(s *profile.Sample) string {
	var lines, labels []string
	for _, l := range s.Location {
		for i, line := range l.Line {
			module, buildID := "nothing", ""
			if l.Mapping != nil {
				module, buildID = l.Mapping.File, l.Mapping.BuildID
			}
			lines = append(lines, fmt.Sprintf("%s %q:%d:%d inlined %t in %s %q at %#x", line.Function.SystemName,
				line.Function.Filename, line.Line, line.Column, i < len(l.Line)-1, module, buildID, l.Address))
		}
	}
	for key, values := range s.Label {
		labels = append(labels, key+"="+strings.Join(values, ","))
	}
	for key, values := range s.NumLabel {
		unit := ""
		if u := s.NumUnit[key]; len(u) > 0 {
			unit = u[0]
		}
		labels = append(labels, fmt.Sprintf("%s=%d%s", key, values[0], unit))
	}
	slices.Sort(labels)
	return strings.Join(append(lines, labels...), "\n")
}

// checkProfileTables fails if a function, location or mapping is there twice or is used by nothing.
func checkProfileTables(t *testing.T, p *profile.Profile) {
	t.Helper()
	usedLocations, usedFunctions, usedMappings := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	for _, s := range p.Sample {
		for _, l := range s.Location {
			usedLocations[l.ID] = true
			if l.Mapping != nil {
				usedMappings[l.Mapping.ID] = true
			}
			for _, line := range l.Line {
				usedFunctions[line.Function.ID] = true
			}
		}
	}
	if len(usedLocations) != len(p.Location) || len(usedFunctions) != len(p.Function) ||
		len(usedMappings) != len(p.Mapping) {
		t.Fatalf("used: %d of %d locations, %d of %d functions, %d of %d mappings", len(usedLocations), len(p.Location),
			len(usedFunctions), len(p.Function), len(usedMappings), len(p.Mapping))
	}
	pprofxtest.CheckDistinct(t, "functions", p.Function, func(f *profile.Function) string {
		return fmt.Sprintf("%q %q", f.SystemName, f.Filename)
	})
	pprofxtest.CheckDistinct(t, "mappings", p.Mapping, func(m *profile.Mapping) string {
		return fmt.Sprintf("%q %q", m.File, m.BuildID)
	})
	pprofxtest.CheckDistinct(t, "locations", p.Location, func(l *profile.Location) string {
		text := pprofText(&profile.Sample{Location: []*profile.Location{l}})
		return text
	})
}

func TestHeader(t *testing.T) {
	b := pprofxtest.NewBuilder(5e9, 10_101_010)
	b.Lose(pprofx.LostLate, 3)
	b.Lose(pprofx.LostFull, 4)
	p := roundTrip(t, b.Cut(7e9))
	want := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "cpu",
		PeriodType:        &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:            10_101_010,
		TimeNanos:         5e9,
		DurationNanos:     2e9,
		Comments:          []string{"lost: 4 full", "lost: 3 late"},
	}
	if diff := cmp.Diff(want.String(), p.String()); diff != "" {
		t.Error(diff)
	}
	if p.DefaultSampleType != "cpu" || p.Period != want.Period {
		t.Errorf("default %q, period %d", p.DefaultSampleType, p.Period)
	}
}

func TestInlining(t *testing.T) {
	js := func(name string, line int, inlined bool) *pprofx.Frame {
		return &pprofx.Frame{
			Function: name, File: "/srv/a.js", Line: line, Column: 5, Inlined: inlined, Tier: pprofx.TurboFan,
		}
	}
	marker := &pprofx.Frame{Function: "[… 7 frames]", Kind: pprofx.Marker}
	for name, tt := range map[string]struct {
		stack []*pprofx.Frame
		want  [][]string // names of the lines of each location
	}{
		"none": {[]*pprofx.Frame{js("a", 1, false), js("b", 2, false)}, [][]string{{"a"}, {"b"}}},
		"one": {[]*pprofx.Frame{js("a", 1, true), js("b", 2, false), js("c", 3, false)},
			[][]string{{"a", "b"}, {"c"}}},
		"nested": {[]*pprofx.Frame{js("a", 1, true), js("b", 2, true), js("c", 3, false)},
			[][]string{{"a", "b", "c"}}},
		"caller": {[]*pprofx.Frame{js("a", 1, false), js("b", 2, true), js("c", 3, false)},
			[][]string{{"a"}, {"b", "c"}}},
		"root lacks": {[]*pprofx.Frame{js("a", 1, false), js("b", 2, true)}, [][]string{{"a"}, {"b"}}},
		"cut by a marker": {[]*pprofx.Frame{js("a", 1, true), marker, js("c", 3, false)},
			[][]string{{"a"}, {"[… 7 frames]"}, {"c"}}},
		"recursive inline": {[]*pprofx.Frame{js("a", 1, true), js("a", 1, true), js("a", 1, false)},
			[][]string{{"a", "a", "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := pprofxtest.NewBuilder(0, 1)
			b.Add(&pprofx.Sample{Stack: tt.stack})
			var got [][]string
			for _, l := range roundTrip(t, b.Cut(1)).Sample[0].Location {
				var names []string
				for _, line := range l.Line {
					names = append(names, line.Function.Name)
				}
				got = append(got, names)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMappings(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetProcess(1, pprofx.Process{Executable: "/bin/sh"})
	b.SetProcess(2, pprofx.Process{Executable: "/usr/bin/node"})
	stack := []*pprofx.Frame{
		{Function: "do_syscall_64", Kind: pprofx.Kernel, Module: "[kernel]", Address: 1 << 63},
		{Function: "[unknown]", Kind: pprofx.Native, Module: "/lib/libx.so", Address: 16},
		{Function: "f", File: "/srv/a.js", Line: 1, Inlined: true},
		{Function: "main", File: "/srv/a.js", Line: 2},
		{Function: "node::Start(int)", Kind: pprofx.Native, Module: "/usr/bin/node", BuildID: "ab12", Address: 32},
		{Function: "[stack ends here]", Kind: pprofx.Marker},
	}
	b.Add(&pprofx.Sample{PID: 1, Stack: []*pprofx.Frame{{Function: "sh_main", Kind: pprofx.Native, Module: "/bin/sh"}}})
	b.Add(&pprofx.Sample{PID: 2, Stack: stack})
	b.Add(&pprofx.Sample{PID: 2, Stack: stack})
	var got []profile.Mapping
	for _, m := range roundTrip(t, b.Cut(1)).Mapping {
		got = append(got, profile.Mapping{File: m.File, BuildID: m.BuildID, HasFunctions: m.HasFunctions,
			HasFilenames: m.HasFilenames, HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames})
	}
	want := []profile.Mapping{
		{File: "/usr/bin/node", BuildID: "ab12", HasFunctions: true}, // of the process with the most samples
		{File: "/bin/sh", HasFunctions: true},
		{File: "[kernel]", HasFunctions: true},
		{File: "/lib/libx.so"},
		{File: "[v8]", HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true},
	}
	text := func(ms []profile.Mapping) (out []string) {
		for i := range ms {
			out = append(out, fmt.Sprintf("%q %q %t %t %t %t", ms[i].File, ms[i].BuildID, ms[i].HasFunctions,
				ms[i].HasFilenames, ms[i].HasLineNumbers, ms[i].HasInlineFrames))
		}
		return out
	}
	if diff := cmp.Diff(text(want), text(got)); diff != "" {
		t.Error(diff)
	}
}

func TestMainExecutable(t *testing.T) {
	processes := map[int]pprofx.Process{1: {Executable: "/bin/one"}, 2: {Executable: "/bin/two"},
		3: {Executable: "/bin/three"}}
	for name, tt := range map[string]struct {
		pids []int32
		want string
	}{
		"most samples": {[]int32{1, 3, 3, 2}, "/bin/three"},
		"as many":      {[]int32{2, 3}, "/bin/three"},
		"unknown":      {[]int32{4, 4}, ""},
	} {
		s := &pprofx.Snapshot{Period: 1, Processes: processes,
			Stacks: [][]int32{nil}, LabelSets: [][]pprofx.Label{nil}, Threads: []string{""}}
		for _, pid := range tt.pids {
			s.Rows = append(s.Rows, pprofx.Row{PID: pid})
		}
		w := newWriter(io.Discard, hotspanStyle)
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
		if got := w.fold.header.mainExecutable(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestMergeKeepsKinds merges two profiles, as `go tool pprof a b` does: functions that differ only in kind must
// not become one.
func TestMergeKeepsKinds(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.Add(&pprofx.Sample{Stack: []*pprofx.Frame{{Function: "sort", Kind: pprofx.JS}}})
	b.Add(&pprofx.Sample{Stack: []*pprofx.Frame{{Function: "sort", Kind: pprofx.Builtin}}})
	p := roundTrip(t, b.Cut(1))
	merged, err := profile.Merge([]*profile.Profile{p, p.Copy()})
	if err != nil {
		t.Fatal(err)
	}
	if len(merged.Function) != 2 || len(merged.Sample) != 2 || merged.Sample[0].Value[0] != 2 {
		t.Errorf("merged to\n%s", merged)
	}
}

func TestSaysWhatWasLeftOut(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetLimits(pprofx.Limits{Frames: 1, Stacks: 1})
	b.Add(&pprofx.Sample{Stack: []*pprofx.Frame{{Function: "a"}}})
	b.Add(&pprofx.Sample{Stack: []*pprofx.Frame{{Function: "b"}}})
	p := roundTrip(t, b.Cut(1))
	if diff := cmp.Diff([]string{"stack left out: 1 [other]"}, p.Comments); diff != "" {
		t.Error(diff)
	}
}
