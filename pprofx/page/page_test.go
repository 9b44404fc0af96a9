package page

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

const start = 1_795_177_646_475_589_646

// hostile would end the element that it is in, or begin another one, if it were written as it is.
const hostile = "</script><!--<script>\u2028\x00\xff"

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomFrame(r *rand.Rand) *pprofx.Frame {
	f := &pprofx.Frame{
		Function: pick(r, "main", "work", "<anonymous>", hostile), Kind: pprofx.Kind(r.IntN(int(pprofx.Marker) + 1)),
		Inlined: r.IntN(3) == 0,
	}
	switch f.Kind {
	case pprofx.JS:
		f.File, f.Tier = pick(r, "", "/srv/a.js", hostile), pprofx.Tier(r.IntN(int(pprofx.TurboFan)+1))
		f.Line, f.Column = r.IntN(3), r.IntN(1000)
	case pprofx.Native:
		f.Module, f.Address = pick(r, "", "/usr/bin/node"), r.Uint64()
	}
	return f
}

func randomSample(r *rand.Rand, at int64, frames []*pprofx.Frame) *pprofx.Sample {
	s := &pprofx.Sample{
		Time: at, PID: 1 + r.IntN(2), TID: 1 + r.IntN(1<<22), Thread: pick(r, "", "MainThread", hostile),
		State: pprofx.State(r.IntN(int(pprofx.StateIdle) + 1)),
		Stop:  pprofx.StopReason(r.IntN(int(pprofx.StopBadPC) + 1)),
	}
	if r.IntN(2) == 0 {
		s.Start = at - r.Int64N(3e9) + 1e9
	}
	for range r.IntN(6) {
		s.Stack = append(s.Stack, pick(r, frames...))
	}
	for _, key := range []string{"http.route", "items", "trace_id", hostile} {
		switch r.IntN(4) {
		case 0:
			s.Labels = append(s.Labels, pprofx.Label{Key: key, Str: pick(r, "/a", "/b", hostile)})
		case 1:
			s.Labels = append(s.Labels, pprofx.Label{Key: key, Num: r.Int64N(3) - 1, Unit: pick(r, "", "B")})
		}
	}
	return s
}

// random are snapshots of a second each, and their samples in the order of time.
func random(t *testing.T, r *rand.Rand, samples int) (list []*pprofx.Snapshot, all []*pprofx.Sample) {
	t.Helper()
	b, err := pprofx.NewBuilder(start, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	var frames []*pprofx.Frame
	for range 20 {
		frames = append(frames, randomFrame(r))
	}
	b.SetProcess(1, pprofx.Process{
		Service: hostile, Executable: "/usr/bin/node",
		Attributes: []pprofx.Label{{Key: "a", Str: hostile}, {Key: "n", Num: 3}},
	})
	for end := int64(start); len(list) < 3; {
		var some []*pprofx.Sample
		for range samples / 3 {
			some = append(some, randomSample(r, end+r.Int64N(1e9), frames))
		}
		slices.SortStableFunc(some, func(a, b *pprofx.Sample) int { return cmp.Compare(a.Time, b.Time) })
		for _, s := range some {
			b.Add(s)
		}
		all = append(all, some...)
		b.Lose(pprofx.LostRingFull, r.Int64N(2))
		end += 1e9
		list = append(list, b.Cut(end))
	}
	return list, all
}

func written(t *testing.T, w *writer, snapshots ...*pprofx.Snapshot) []byte {
	t.Helper()
	var out bytes.Buffer
	w.to = &out
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// expected is what the page should have of a sample.
func expected(s *pprofx.Sample, of pprofx.Process) shownSample {
	e := shownSample{
		Micros: s.Time/1000 - start/1000, TID: int32(s.TID), Thread: valid(s.Thread), State: s.State.String(),
		Stop: s.Stop.String(), Labels: map[string]string{},
		Process: process{PID: int32(s.PID), Service: valid(of.Service), Executable: of.Executable},
	}
	if s.Start != 0 {
		e.Age = 1 + int(max(0, time.Duration(s.Time-s.Start).Milliseconds()))
	}
	for _, a := range of.Attributes {
		e.Process.Attributes = append(e.Process.Attributes, [2]string{a.Key, valid(a.Text())})
	}
	for _, l := range s.Labels {
		e.Labels[valid(l.Key)] = valid(l.Text())
	}
	frames := s.Stack
	if len(frames) == 0 {
		frames = []*pprofx.Frame{{Function: "[no stack]", Kind: pprofx.Marker}}
	}
	for _, f := range frames {
		code := f.Kind.String() + " " + f.Tier.String()
		if f.Inlined {
			code += " inlined"
		}
		e.Functions, e.Files = append(e.Functions, valid(f.Function)), append(e.Files, valid(cmp.Or(f.File, f.Module)))
		e.Code, e.Lines, e.Columns = append(e.Code, code), append(e.Lines, f.Line), append(e.Columns, f.Column)
	}
	return e
}

// TestData: the page has every sample of the snapshots as it was, in whatever order they come.
func TestData(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		snapshots, samples := random(t, r, 300)
		var want []shownSample
		processes := map[int]pprofx.Process{}
		for _, s := range snapshots {
			for pid, p := range s.Processes {
				processes[pid] = p
			}
		}
		for _, s := range samples {
			want = append(want, expected(s, processes[s.PID]))
		}
		if seed%2 == 1 {
			slices.Reverse(snapshots)
		}
		got := decode(t, written(t, newWriter(nil, fullLimits), snapshots...))
		if diff := gocmp.Diff(want, got.samples); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		var lost int64
		for _, l := range got.Lost {
			lost += l.Samples["ring buffer full"]
		}
		for _, s := range snapshots {
			lost -= s.Lost[pprofx.LostRingFull]
		}
		if lost != 0 || got.Start != start/1000 ||
			got.End != (start+3_000_000_000)/1000 || len(got.Intervals) != 1 || got.Period != 1e7 {
			t.Errorf("seed %d: %+v, losses off by %d", seed, got.header, lost)
		}
	}
}

// TestLimits: what is over a limit is counted, and nothing else is.
func TestLimits(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		snapshots, samples := random(t, r, 300)
		max := limits{r.IntN(25), r.IntN(200), r.IntN(400), r.IntN(100), 1 + r.IntN(400)}
		w := newWriter(nil, max)
		got := decode(t, written(t, w, snapshots...))
		left := pprofx.LeftOut{Samples: int64(len(samples) - len(got.samples))}
		for i, s := range got.samples {
			want := expected(samples[i], pprofx.Process{})
			s.Process = want.Process
			switch s.Labels[pprofx.LeftOutLabel] {
			case pprofx.LeftOutAll:
				left.Labels++
				s.Labels = want.Labels
			case pprofx.LeftOutIDs:
				left.IDs++
				s.Labels = maps.Clone(s.Labels) // other samples have it too
				delete(s.Labels, pprofx.LeftOutLabel)
				delete(want.Labels, "trace_id")
			}
			if s.Functions[0] == pprofx.OtherFunction {
				left.Stacks++
				s.Functions, s.Files, s.Code = want.Functions, want.Files, want.Code
				s.Lines, s.Columns = want.Lines, want.Columns
			}
			if diff := gocmp.Diff(want, s); diff != "" {
				t.Fatalf("seed %d: %s", seed, diff)
			}
		}
		if w.LeftOut() != left || got.LeftOut != left || len(got.samples) > max.samples ||
			len(w.stacks.list) > fixedStacks+max.stacks || len(w.stacks.frames) > fixedStacks+max.frames ||
			len(w.stacks.nodes) > 1+fixedStacks+max.nodes || len(w.labels.sets) > fixedSets+2*max.sets {
			t.Fatalf("seed %d, %+v: left out %+v, want %+v", seed, max, w.LeftOut(), left)
		}
	}
}

// TestLeftOut: what snapshots have left out already is counted too.
func TestLeftOut(t *testing.T) {
	b, err := pprofx.NewBuilder(start, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	other := []*pprofx.Frame{{Function: pprofx.OtherFunction, Kind: pprofx.Marker}}
	for i, left := range []string{pprofx.LeftOutIDs, pprofx.LeftOutAll, ""} {
		s := &pprofx.Sample{Time: start + int64(i), PID: 1, TID: 1}
		if left != "" {
			s.Labels = []pprofx.Label{{Key: pprofx.LeftOutLabel, Str: left}}
		} else {
			s.Stack = other
		}
		b.Add(s)
	}
	w := newWriter(nil, fullLimits)
	got := decode(t, written(t, w, b.Cut(start+1e9)))
	want := pprofx.LeftOut{Stacks: 1, IDs: 1, Labels: 1}
	if w.LeftOut() != want || got.LeftOut != want {
		t.Errorf("%+v and %+v, want %+v", w.LeftOut(), got.LeftOut, want)
	}
}

// TestProcesses: the same pid on two machines is two processes.
func TestProcesses(t *testing.T) {
	w := newWriter(nil, fullLimits)
	var all []*pprofx.Snapshot
	for i, service := range []string{"shop", "till"} {
		b, err := pprofx.NewBuilder(start, 1e7)
		if err != nil {
			t.Fatal(err)
		}
		b.SetProcess(1, pprofx.Process{Service: service})
		b.Add(&pprofx.Sample{Time: start + int64(i), PID: 1, TID: 1})
		all = append(all, b.Cut(start+1e9))
	}
	got := decode(t, written(t, w, all...))
	if len(got.samples) != 2 || got.samples[0].Process.Service != "shop" || got.samples[1].Process.Service != "till" {
		t.Errorf("%+v", got.samples)
	}
}

// TestIntervals: what was not recorded between two recordings can be told.
func TestIntervals(t *testing.T) {
	cut := func(from, to int64) *pprofx.Snapshot { return &pprofx.Snapshot{Start: from, End: to, Period: 1e7} }
	got := decode(t, written(t, newWriter(nil, fullLimits), cut(5e6, 6e6), cut(1e6, 2e6), cut(2e6, 3e6), cut(1e6, 4e6)))
	want := [][2]int64{{1e3, 4e3}, {5e3, 6e3}}
	if diff := gocmp.Diff(want, got.Intervals); diff != "" || got.Start != 1e3 || got.End != 6e3 {
		t.Errorf("from %d to %d: %s", got.Start, got.End, diff)
	}
}

func TestErrors(t *testing.T) {
	w := NewWriter(io.Discard)
	if err := errors.Join(w.Add(&pprofx.Snapshot{Period: 10}), w.Add(&pprofx.Snapshot{Period: 10})); err != nil {
		t.Error(err)
	}
	for want, s := range map[string]*pprofx.Snapshot{
		"snapshot: period 11 after one of 10: choose a time with one rate": {Period: 11},
		"snapshot: end 0 before start 1":                                   {Start: 1, Period: 10},
		"snapshot: row 0: stack 0 of 0":                                    {Period: 10, Rows: []pprofx.Row{{}}},
		"snapshot: frame 0 is nil":                                         {Period: 10, Frames: []*pprofx.Frame{nil}},
		"snapshot: stack 0: frame 2 of 0":                                  {Period: 10, Stacks: [][]int32{{2}}},
		"snapshot: row 0: label set 1 of 0": {Period: 10, Stacks: [][]int32{{}},
			Rows: []pprofx.Row{{Labels: 1}}},
	} {
		if err := w.Add(s); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := NewWriter(fullDisk{}).Close(); !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

var errDisk = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }
