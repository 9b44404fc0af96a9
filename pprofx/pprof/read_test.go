package pprof

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/text"
)

// readBack is what Read makes of what Write makes of a snapshot.
func readBack(t *testing.T, s *pprofx.Snapshot) *pprofx.Snapshot {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, s); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Check(); err != nil {
		t.Fatal(err)
	}
	return got
}

// profileLines are the lines of a profile as google/pprof prints it, sorted: the first mapping depends on what a
// snapshot knows of executables, which a profile does not have.
func profileLines(t *testing.T, s *pprofx.Snapshot) []string {
	t.Helper()
	return slices.Sorted(strings.Lines(roundTrip(t, s).String()))
}

// What is read has all that is in the file: written again, it is the same profile.
func TestRead(t *testing.T) {
	for seed := range uint64(20) {
		s, _ := pprofxtest.NewGenerator(rand.New(rand.NewPCG(seed, 11))).Snapshot(300)
		got := readBack(t, s)
		if diff := cmp.Diff(profileLines(t, s), profileLines(t, got)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if !got.Untimed || len(got.Rows) != len(s.Rows) || got.Start != s.Start || got.End != s.End ||
			got.Period != s.Period || !cmp.Equal(got.Lost, s.Lost) {
			t.Errorf("seed %d: %d rows, want %d: %+v", seed, len(got.Rows), len(s.Rows), got)
		}
		if frames := framesInPprof(s); !cmp.Equal(frames, framesInPprof(got)) {
			t.Errorf("seed %d: %s", seed, cmp.Diff(frames, framesInPprof(got)))
		}
	}
}

// Inlined functions come back too, and how often each stack was seen.
func TestReadStacks(t *testing.T) {
	stacks := func(s *pprofx.Snapshot) map[string]int {
		all := map[string]int{}
		for _, r := range s.Rows {
			text := fmt.Sprint(r.PID, r.TID, r.State, s.Threads[r.Thread], s.LabelSets[r.Labels])
			for _, i := range s.Stacks[r.Stack] {
				f := *s.Frames[i]
				f.Tier = pprofx.NoTier
				text += fmt.Sprintf("%+v", f)
			}
			all[text]++
		}
		return all
	}
	want := stacks(pprofxtest.Example())
	if diff := cmp.Diff(want, stacks(readBack(t, pprofxtest.Example()))); diff != "" || len(want) < 3 {
		t.Errorf("%d stacks: %s", len(want), diff)
	}
}

// framesInPprof returns the frames of a snapshot without tiers. Frames with inlined functions are left out: those of a
// generator have other files than the functions in them.
func framesInPprof(s *pprofx.Snapshot) map[pprofx.Frame]bool {
	all := map[pprofx.Frame]bool{}
	for _, stack := range s.Stacks {
		for len(stack) > 0 {
			n := inlineGroup(s.Frames, stack)
			if frame := *s.Frames[stack[0]]; n == 1 {
				frame.Tier, frame.Inlined = pprofx.NoTier, false
				all[frame] = true
			}
			stack = stack[n:]
		}
	}
	return all
}

// What a process says of itself comes back, whatever is in it.
func TestReadProcesses(t *testing.T) {
	s := pprofxtest.Example()
	s.Processes = map[int]pprofx.Process{12: {Service: `a "shop"=1 \`, Attributes: []pprofx.Label{
		{Key: "text", Str: "12"}, {Key: "number", Num: -12}, {Key: "a b=c", Str: "d\ne"}, {Key: "é", Str: "ü"},
		{Key: "service.name", Str: "x"}, {Key: "q", Str: `"`},
	}}}
	if diff := cmp.Diff(s.Processes, readBack(t, s).Processes); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]pprofx.Process{
		" service.name=my shop a=1": {Service: "my", Attributes: []pprofx.Label{{Key: "a", Num: 1}}},
		` = =b ="" "a`:              {Attributes: []pprofx.Label{{Str: ""}, {Str: "b"}, {}}},
	} {
		if diff := cmp.Diff(want, readAbout(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// foreignProfile is one of another tool: of a Go program with a kernel, or of Node.js.
func foreignProfile() *profile.Profile {
	kernel := &profile.Mapping{ID: 1, File: "[kernel.kallsyms]"}
	app := &profile.Mapping{ID: 2, File: "/bin/app", BuildID: "ab"}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10,
		TimeNanos: 100, DurationNanos: 50, Mapping: []*profile.Mapping{kernel, app},
		Function: []*profile.Function{
			{ID: 1, Name: "main.main", SystemName: "main.main", Filename: "/src/main.go"},
			{ID: 2, Name: "handler", SystemName: "handler", Filename: "file:///srv/app.mjs"},
			{ID: 3, Name: "parse", Filename: "node:internal/url"},
		},
		Comments: []string{"lost: many", "process x: y", "lost: -1 late", "anything"},
	}
	p.Location = []*profile.Location{
		{ID: 1, Mapping: kernel, Address: 7},
		{ID: 2, Mapping: app, Address: 8, Line: []profile.Line{{Function: p.Function[0], Line: 3}}},
		{ID: 3, Line: []profile.Line{
			{Function: p.Function[2], Line: 5, Column: 6}, {Function: p.Function[1], Line: -1}}},
		{ID: 4, Mapping: app, Address: 9},
	}
	p.Sample = []*profile.Sample{
		{Location: p.Location, Value: []int64{3, 30}, Label: map[string][]string{"tenant": {"a", "b"}, "both": {"s"}},
			NumLabel: map[string][]int64{"bytes": {5}, "pid": {-1}, "sizes": {1, 2}, "thread_id": {9}, "both": {1}},
			NumUnit:  map[string][]string{"bytes": {"bytes"}}},
	}
	return p
}

func readForeign(t *testing.T, p *profile.Profile) (*pprofx.Snapshot, error) {
	t.Helper()
	var file bytes.Buffer
	if err := p.WriteUncompressed(&file); err != nil {
		t.Fatal(err)
	}
	return Read(&file)
}

func TestReadForeign(t *testing.T) {
	s, err := readForeign(t, foreignProfile())
	if err != nil {
		t.Fatal(err)
	}
	row := pprofx.Row{Time: 100, Labels: 1, TID: 9}
	want := &pprofx.Snapshot{
		Start: 100, End: 150, Period: 10, Untimed: true,
		Processes: map[int]pprofx.Process{}, Lost: map[pprofx.LostReason]int64{},
		Frames: []*pprofx.Frame{
			{Function: "[unknown]", Kind: pprofx.Kernel, Module: "[kernel.kallsyms]", Address: 7},
			{Function: "main.main", File: "/src/main.go", Line: 3, Kind: pprofx.Native, Module: "/bin/app",
				BuildID: "ab", Address: 8},
			{Function: "parse", File: "node:internal/url", Line: 5, Column: 6, Inlined: true},
			{Function: "handler", File: "file:///srv/app.mjs"},
			{Function: "[app]", Kind: pprofx.Native, Module: "/bin/app", BuildID: "ab", Address: 9},
		},
		Stacks: [][]int32{{0, 1, 2, 3, 4}}, Threads: []string{""}, Rows: []pprofx.Row{row, row, row},
		LabelSets: [][]pprofx.Label{nil, {{Key: "both", Str: "s"}, {Key: "bytes", Num: 5, Unit: "bytes"},
			{Key: "pid", Num: -1}, {Key: "sizes", Str: "1 2"}, {Key: "tenant", Str: "a, b"}}},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

// How many rows a sample is, by what a profile says of CPU time.
func TestReadWeights(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*profile.Profile)
		period int64
		rows   int
	}{
		"both": {func(*profile.Profile) {}, 10, 3},
		"CPU only": {func(p *profile.Profile) {
			p.SampleType, p.Sample[0].Value = p.SampleType[1:], []int64{30}
		}, 10, 3},
		"count only": {func(p *profile.Profile) {
			p.SampleType, p.Sample[0].Value = p.SampleType[:1], []int64{3}
		}, 10, 3},
		"no period":    {func(p *profile.Profile) { p.PeriodType, p.Sample[0].Value = nil, []int64{3, 60} }, 20, 3},
		"of wall time": {func(p *profile.Profile) { p.PeriodType.Type = "wall" }, 10, 3},
		"two rates": {func(p *profile.Profile) {
			for range 4 { // 15, 10 and 10: 35, rounded
				p.Sample = append(p.Sample, &profile.Sample{Location: p.Location, Value: []int64{1, 15}})
			}
		}, 10, 9},
	} {
		p := foreignProfile()
		test.change(p)
		if s, err := readForeign(t, p); err != nil || s.Period != test.period || len(s.Rows) != test.rows {
			t.Errorf("%s: %v, %+v", name, err, s)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for says, change := range map[string]func(*profile.Profile){
		`of "alloc_space"/"bytes"`: func(p *profile.Profile) {
			p.SampleType, p.Sample[0].Value = []*profile.ValueType{{Type: "alloc_space", Unit: "bytes"}}, []int64{1}
		},
		`CPU time its samples stand for: of "samples"`: func(p *profile.Profile) {
			p.SampleType, p.Sample[0].Value, p.PeriodType = p.SampleType[:1], []int64{3}, nil
		},
		"profile of differences": func(p *profile.Profile) { p.Sample[0].Value = []int64{-3, -30} },
		"292 years":              func(p *profile.Profile) { p.Sample[0].Value = []int64{3, math.MaxInt64} },
		"-1 ns from 100 ns":      func(p *profile.Profile) { p.DurationNanos = -1 },
		"more than 16777216 frames": func(p *profile.Profile) {
			l := p.Location[1]
			l.Line = slices.Repeat(l.Line, 5000)
			p.Sample[0].Location = slices.Repeat([]*profile.Location{l}, 5000)
		},
	} {
		p := foreignProfile()
		change(p)
		if _, err := readForeign(t, p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	p := foreignProfile()
	p.Sample[0].Value = []int64{0, 10 * (pprofx.MaxRows + 5)}
	if s, err := readForeign(t, p); err != nil || len(s.Rows) != pprofx.MaxRows || s.Lost[pprofx.LostFull] != 5 {
		t.Errorf("too many samples: %v", err)
	}
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	_, _ = zip.Write(make([]byte, 1001))
	zip.Close()
	for limit, want := range map[int]int{1001: 1001, 1000: 0} {
		in, err := unzipped(bytes.NewReader(bomb.Bytes()), int64(limit))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); err == nil && len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%d bytes of %d: %v", len(got), limit, err)
		}
	}
	for says, text := range map[string]string{
		"unexpected EOF": "\x1f\x8b", "": "no profile", "empty": "",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: %v, want %q", text, err, says)
		}
	}
}

// Any bytes give a snapshot that can be written, or an error.
func FuzzRead(f *testing.F) {
	for _, p := range []*profile.Profile{foreignProfile(), {}} {
		var file bytes.Buffer
		_ = p.WriteUncompressed(&file)
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := Read(bytes.NewReader(file))
		if err != nil || len(s.Rows) > 1000 { // a few bytes can say that there are millions, which takes long to write
			return
		}
		for _, w := range []pprofx.Writer{
			NewWriter(io.Discard), text.NewCollapsedWriter(io.Discard), text.NewPerfScriptWriter(io.Discard),
			jsonl.NewWriter(io.Discard),
		} {
			if err := errors.Join(w.Add(s), w.Close()); err != nil {
				t.Error(err)
			}
		}
	})
}
