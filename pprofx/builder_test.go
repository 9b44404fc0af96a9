package pprofx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCutByTime(t *testing.T) {
	b := newTestBuilder(100, 10)
	stack := []*Frame{{Function: "f"}}
	for i, at := range []int64{150, 100, 199, 200, 99, 250, 150} {
		b.Add(&Sample{Time: at, CPU: i, Stack: stack})
	}
	b.Lose(LostRingFull, 3)
	b.Lose(LostRingFull, 0)
	b.Lose(LostRingFull, -1)
	first, second := b.Cut(200), b.Cut(300)

	type row struct {
		Time int64
		CPU  uint16 // the order of arrival
	}
	rows := func(s *Snapshot) (out []row) {
		for _, r := range s.Rows {
			out = append(out, row{r.Time, r.CPU})
		}
		return out
	}
	want := [][]row{{{100, 1}, {150, 0}, {150, 6}, {199, 2}}, {{200, 3}, {250, 5}}}
	if diff := cmp.Diff(want, [][]row{rows(first), rows(second)}); diff != "" {
		t.Error(diff)
	}
	wantLost := []map[LostReason]int64{{LostRingFull: 3, LostLate: 1}, {}}
	if diff := cmp.Diff(wantLost, []map[LostReason]int64{first.Lost, second.Lost}); diff != "" {
		t.Error(diff)
	}
	times, wantTimes := [...]int64{first.Start, first.End, second.Start, second.End}, [...]int64{100, 200, 200, 300}
	if times != wantTimes {
		t.Errorf("intervals %v, want %v", times, wantTimes)
	}
}

func TestCutBackwardsIsEmpty(t *testing.T) {
	b := newTestBuilder(100, 10)
	b.Add(&Sample{Time: 100})
	if s := b.Cut(50); s.Start != 100 || s.End != 100 || len(s.Rows) != 0 {
		t.Errorf("got [%d, %d) with %d rows, want [100, 100) with none", s.Start, s.End, len(s.Rows))
	}
	if s := b.Cut(101); len(s.Rows) != 1 {
		t.Errorf("%d rows after it, want 1", len(s.Rows))
	}
}

// TestCutProperty adds samples of random times between random cuts, and holds every snapshot against the samples
// themselves, each with a number of its own as a label.
func TestCutProperty(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := newGenerator(r)
		b := newTestBuilder(1000, 10)
		for pid := range 3 {
			b.SetProcess(pid, Process{Service: fmt.Sprint(pid)})
		}
		var added []*Sample
		var snapshots []*Snapshot
		now, lose := int64(1000), int64(0)
		for range 1 + r.IntN(12) {
			for range r.IntN(60) {
				s := g.sample(now - 100 + r.Int64N(400))
				s.Labels = append(s.Labels, Label{Key: "~number", Num: int64(len(added))})
				added = append(added, s)
				b.Add(s)
			}
			n := r.Int64N(3)
			b.Lose(LostMalformed, n)
			lose += n
			now += r.Int64N(300) - 20
			snapshots = append(snapshots, b.Cut(now))
			now = snapshots[len(snapshots)-1].End
		}
		snapshots = append(snapshots, b.Cut(now+1000))
		checkCuts(t, seed, snapshots, added, lose)
	}
}

func checkCuts(t *testing.T, seed uint64, snapshots []*Snapshot, added []*Sample, lose int64) {
	t.Helper()
	start, late, other := int64(1000), int64(0), int64(0)
	seen := make(map[int64]bool)
	for _, s := range snapshots {
		checkTables(t, s)
		if s.Start != start {
			t.Fatalf("seed %d: snapshot starts at %d, the one before ended at %d", seed, s.Start, start)
		}
		start = s.End
		late += s.Lost[LostLate]
		other += s.Lost[LostMalformed]
		before := Row{}
		arrived := int64(0) // number of the row before
		for _, row := range s.Rows {
			got := unpack(s, row)
			number := got.Labels[len(got.Labels)-1].Num
			if row.Time == before.Time && number < arrived {
				t.Fatalf("seed %d: samples %d and %d of one time changed places", seed, number, arrived)
			}
			before, arrived = row, number
			if seen[number] {
				t.Fatalf("seed %d: sample %d is in two rows", seed, number)
			}
			seen[number] = true
			if diff := cmp.Diff(added[number], got); diff != "" {
				t.Fatalf("seed %d: sample %d: %s", seed, number, diff)
			}
		}
	}
	if got := int64(len(seen)) + late + other; got != int64(len(added))+lose {
		t.Fatalf("seed %d: %d rows + %d late + %d lost = %d, want %d added + %d lost",
			seed, len(seen), late, other, got, len(added), lose)
	}
}

// unpack makes a row a sample again.
func unpack(s *Snapshot, r Row) *Sample {
	return &Sample{
		Time: r.Time, PID: int(r.PID), TID: int(r.TID), Thread: s.Threads[r.Thread], CPU: int(r.CPU),
		State: r.State, Stop: r.Stop, Start: r.Start,
		Stack: framesOf(s, r.Stack), Labels: s.LabelSets[r.Labels],
	}
}

// framesOf returns the frames of stack i, leaf first.
func framesOf(s *Snapshot, i int32) []*Frame {
	frames := make([]*Frame, len(s.Stacks[i]))
	for j, f := range s.Stacks[i] {
		frames[j] = s.Frames[f]
	}
	return frames
}

// checkTables fails if a snapshot is not as its comments say: rows by time and within the interval, everything once,
// nothing that no row refers to.
func checkTables(t *testing.T, s *Snapshot) {
	t.Helper()
	frames, stacks, sets, pids := map[int32]bool{}, map[int32]bool{}, map[int32]bool{0: true}, map[int]bool{}
	last := s.Start
	for _, r := range s.Rows {
		if r.Time < last || r.Time >= s.End {
			t.Fatalf("row at %d after one at %d in [%d, %d)", r.Time, last, s.Start, s.End)
		}
		last = r.Time
		stacks[r.Stack], sets[r.Labels], pids[int(r.PID)] = true, true, true
		for _, f := range s.Stacks[r.Stack] {
			frames[f] = true
		}
	}
	if len(frames) != len(s.Frames) || len(stacks) != len(s.Stacks) || len(sets) != len(s.LabelSets) {
		t.Fatalf("rows refer to %d of %d frames, %d of %d stacks, %d of %d label sets",
			len(frames), len(s.Frames), len(stacks), len(s.Stacks), len(sets), len(s.LabelSets))
	}
	for pid := range s.Processes {
		if !pids[pid] {
			t.Fatalf("process %d has no row", pid)
		}
	}
	checkDistinct(t, "frames", s.Frames, func(f *Frame) string { return fmt.Sprintf("%#v", *f) })
	checkDistinct(t, "stacks", s.Stacks, func(ids []int32) string { return fmt.Sprint(ids) })
	checkDistinct(t, "label sets", s.LabelSets, func(set []Label) string { return fmt.Sprintf("%#v", set) })
	if len(s.LabelSets[0]) != 0 {
		t.Fatalf("label set 0 is %v, want the empty set", s.LabelSets[0])
	}
}

func checkDistinct[T any](t *testing.T, what string, all []T, text func(T) string) {
	t.Helper()
	seen := map[string]bool{}
	for _, x := range all {
		if k := text(x); seen[k] {
			t.Fatalf("%s: %s twice", what, k)
		} else {
			seen[k] = true
		}
	}
}

func TestInterningIsByValue(t *testing.T) {
	frame := func(line int) *Frame { return &Frame{Function: "f", File: "a.js", Line: line} }
	b := newTestBuilder(0, 1)
	b.Add(&Sample{Stack: []*Frame{frame(1), frame(2)}, Labels: []Label{{Key: "k", Str: "v", Num: 1}}})
	b.Add(&Sample{Stack: []*Frame{frame(1), frame(2)}, Labels: []Label{{Key: "k", Str: "v", Num: 2}}})
	b.Add(&Sample{Stack: []*Frame{frame(2), frame(1)}, Labels: []Label{{Key: "k", Num: 2}}})
	b.Add(&Sample{Stack: []*Frame{frame(2), frame(1)}, Labels: []Label{{Key: "k", Num: 2, Unit: "bytes"}}})
	b.Add(&Sample{Stack: nil, Labels: []Label{}})
	s := b.Cut(1)
	var got [][2]int32
	for _, r := range s.Rows {
		got = append(got, [2]int32{r.Stack, r.Labels})
	}
	if diff := cmp.Diff([][2]int32{{0, 1}, {0, 1}, {1, 2}, {1, 3}, {2, 0}}, got); diff != "" {
		t.Error(diff)
	}
	if len(s.Frames) != 2 {
		t.Errorf("%d frames, want 2", len(s.Frames))
	}
}

func TestSampleIsCopied(t *testing.T) {
	b := newTestBuilder(0, 1)
	f, g := &Frame{Function: "f"}, &Frame{Function: "g"}
	s := &Sample{Thread: "main", Stack: []*Frame{f}}
	b.Add(s)
	s.Thread, s.Stack[0] = "changed", g
	b.Add(s)
	snapshot := b.Cut(1)
	got := []string{snapshot.Threads[snapshot.Rows[0].Thread], framesOf(snapshot, snapshot.Rows[0].Stack)[0].Function}
	if diff := cmp.Diff([]string{"main", "f"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCaps(t *testing.T) {
	for name, tt := range map[string]struct {
		frames, stacks, rows int
		want                 []string // functions of the stacks, by row
		other, full          int64
	}{
		"none":   {9, 9, 9, []string{"[a b]", "[c]", "[b a]", "[a b]", "[c a]"}, 0, 0},
		"frames": {2, 9, 9, []string{"[a b]", "[[other]]", "[b a]", "[a b]", "[[other]]"}, 2, 0},
		"stacks": {9, 2, 9, []string{"[a b]", "[c]", "[[other]]", "[a b]", "[[other]]"}, 2, 0},
		"rows":   {9, 9, 3, []string{"[a b]", "[c]", "[b a]"}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestBuilder(0, 1)
			b.tables, b.maxRows = newTables(tt.frames, tt.stacks, MaxLabelSets), tt.rows
			for i, stack := range []string{"ab", "c", "ba", "ab", "ca"} {
				s := &Sample{Time: int64(i), Thread: "t"}
				for _, f := range stack {
					s.Stack = append(s.Stack, &Frame{Function: string(f)})
				}
				b.Add(s)
			}
			s := b.Cut(10)
			checkTables(t, s)
			var got []string
			for _, r := range s.Rows {
				var names []string
				for _, f := range framesOf(s, r.Stack) {
					names = append(names, f.Function)
				}
				got = append(got, fmt.Sprint(names))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if s.Other() != tt.other || s.Lost[LostFull] != tt.full {
				t.Errorf("other %d, full %d; want %d, %d", s.Other(), s.Lost[LostFull], tt.other, tt.full)
			}
		})
	}
}

func TestCapsApplyAfreshAfterCut(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.tables = newTables(1, 1, MaxLabelSets)
	b.Add(&Sample{Time: 0, Stack: []*Frame{{Function: "a"}}})
	b.Cut(1)
	b.Add(&Sample{Time: 1, Stack: []*Frame{{Function: "b"}}})
	if n := b.Cut(2).Other(); n != 0 {
		t.Errorf("%d stacks left out, want 0", n)
	}
}

func TestPointersAreBounded(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.tables = newTables(10, 10, MaxLabelSets)
	for range 1000 {
		b.Add(&Sample{Stack: []*Frame{{Function: "same"}}})
	}
	if n := len(b.tables.byPointer); n != 10*pointersPerFrame {
		t.Errorf("%d pointers remembered, want %d", n, 10*pointersPerFrame)
	}
	if s := b.Cut(1); len(s.Frames) != 1 || len(s.Rows) != 1000 {
		t.Errorf("%d frames in %d rows, want 1 in 1000", len(s.Frames), len(s.Rows))
	}
}

func TestProcesses(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.SetProcess(1, Process{Executable: "/bin/one"})
	b.SetProcess(2, Process{Executable: "/bin/two"})
	b.Add(&Sample{PID: 1})
	b.Add(&Sample{PID: 3})
	b.Add(&Sample{PID: 2, Time: 1})
	got := []map[int]Process{b.Cut(1).Processes, b.Cut(2).Processes}
	want := []map[int]Process{{1: {Executable: "/bin/one"}}, {2: {Executable: "/bin/two"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// hotSample is a sample as deep and as labelled as one of a web service.
func hotSample() *Sample {
	s := &Sample{Thread: "node", Stop: StopRoot, Labels: []Label{
		{Key: "http.route", Str: "/api/users/:id"},
		{Key: "span_id", Str: "00f067aa0ba902b7"},
		{Key: "trace_id", Str: "4bf92f3577b34da6a3ce929d0e0e4736"},
	}}
	for i := range 32 {
		s.Stack = append(s.Stack, &Frame{Function: "f", File: "/srv/app.js", Line: i + 1})
	}
	return s
}

func TestAddAllocatesNothing(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.rows = make([]Row, 0, 2000)
	s := hotSample()
	for _, s.Shared = range []bool{false, true} {
		b.rows = b.rows[:0]
		b.Add(s)
		if n := testing.AllocsPerRun(1000, func() { b.Add(s) }); n != 0 {
			t.Errorf("shared %t: %v allocations a sample, want 0", s.Shared, n)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	builder := newTestBuilder(0, 1)
	s := hotSample()
	b.ReportAllocs()
	for b.Loop() {
		if len(builder.rows) == 100_000 {
			builder.rows = builder.rows[:0]
		}
		builder.Add(s)
	}
}

func TestSnapshotsDoNotShare(t *testing.T) {
	b := newTestBuilder(0, 1)
	g := newGenerator(rand.New(rand.NewPCG(7, 7)))
	for i := range int64(100) {
		b.Add(g.sample(i))
	}
	first := b.Cut(50)
	rows, lost := slices.Clone(first.Rows), maps.Clone(first.Lost)
	for i := range int64(100) {
		b.Add(g.sample(50 + i))
	}
	b.Lose(LostLate, 1)
	b.Cut(200)
	if diff := cmp.Diff(rows, first.Rows); diff != "" {
		t.Errorf("a later cut changed the rows: %s", diff)
	}
	if diff := cmp.Diff(lost, first.Lost); diff != "" {
		t.Errorf("a later cut changed what was lost: %s", diff)
	}
}
