package pprofx_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestCutByTime(t *testing.T) {
	b := pprofxtest.NewBuilder(100, 10)
	stack := []*pprofx.Frame{{Function: "f"}}
	for i, at := range []int64{150, 100, 199, 200, 99, 250, 150} {
		b.Add(&pprofx.Sample{Time: at, CPU: i, Stack: stack})
	}
	b.Lose(pprofx.LostRingFull, 3)
	b.Lose(pprofx.LostRingFull, 0)
	b.Lose(pprofx.LostRingFull, -1)
	first, second := b.Cut(200), b.Cut(300)

	type row struct {
		Time int64
		CPU  uint16 // the order of arrival
	}
	rows := func(s *pprofx.Snapshot) (out []row) {
		for _, r := range s.Rows {
			out = append(out, row{r.Time, r.CPU})
		}
		return out
	}
	want := [][]row{{{100, 1}, {150, 0}, {150, 6}, {199, 2}}, {{200, 3}, {250, 5}}}
	if diff := cmp.Diff(want, [][]row{rows(first), rows(second)}); diff != "" {
		t.Error(diff)
	}
	wantLost := []map[pprofx.LostReason]int64{{pprofx.LostRingFull: 3, pprofx.LostLate: 1}, {}}
	if diff := cmp.Diff(wantLost, []map[pprofx.LostReason]int64{first.Lost, second.Lost}); diff != "" {
		t.Error(diff)
	}
	times, wantTimes := [...]int64{first.Start, first.End, second.Start, second.End}, [...]int64{100, 200, 200, 300}
	if times != wantTimes {
		t.Errorf("intervals %v, want %v", times, wantTimes)
	}
}

func TestCutBackwardsIsEmpty(t *testing.T) {
	b := pprofxtest.NewBuilder(100, 10)
	b.Add(&pprofx.Sample{Time: 100})
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
		g := pprofxtest.NewGenerator(r)
		b := pprofxtest.NewBuilder(1000, 10)
		for pid := range 3 {
			b.SetProcess(pid, pprofx.Process{Service: fmt.Sprint(pid)})
		}
		var added []*pprofx.Sample
		var snapshots []*pprofx.Snapshot
		now, lose := int64(1000), int64(0)
		for range 1 + r.IntN(12) {
			for range r.IntN(60) {
				s := g.Sample(now - 100 + r.Int64N(400))
				s.Labels = append(s.Labels, pprofx.Label{Key: "~number", Num: int64(len(added))})
				added = append(added, s)
				b.Add(s)
			}
			n := r.Int64N(3)
			b.Lose(pprofx.LostMalformed, n)
			lose += n
			now += r.Int64N(300) - 20
			snapshots = append(snapshots, b.Cut(now))
			now = snapshots[len(snapshots)-1].End
		}
		snapshots = append(snapshots, b.Cut(now+1000))
		checkCuts(t, seed, snapshots, added, lose)
	}
}

func checkCuts(t *testing.T, seed uint64, snapshots []*pprofx.Snapshot, added []*pprofx.Sample, lose int64) {
	t.Helper()
	start, late, other := int64(1000), int64(0), int64(0)
	seen := make(map[int64]bool)
	for _, s := range snapshots {
		checkTables(t, s)
		if s.Start != start {
			t.Fatalf("seed %d: snapshot starts at %d, the one before ended at %d", seed, s.Start, start)
		}
		start = s.End
		late += s.Lost[pprofx.LostLate]
		other += s.Lost[pprofx.LostMalformed]
		before := pprofx.Row{}
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
func unpack(s *pprofx.Snapshot, r pprofx.Row) *pprofx.Sample {
	return &pprofx.Sample{
		Time: r.Time, PID: int(r.PID), TID: int(r.TID), Thread: s.Threads[r.Thread], CPU: int(r.CPU),
		State: r.State, Stop: r.Stop, Start: r.Start,
		Stack: framesOf(s, r.Stack), Labels: s.LabelSets[r.Labels],
	}
}

// framesOf returns the frames of stack i, leaf first.
func framesOf(s *pprofx.Snapshot, i int32) []*pprofx.Frame {
	frames := make([]*pprofx.Frame, len(s.Stacks[i]))
	for j, f := range s.Stacks[i] {
		frames[j] = s.Frames[f]
	}
	return frames
}

// checkTables fails if a snapshot is not as its comments say: rows by time and within the interval, everything once,
// nothing that no row refers to.
func checkTables(t *testing.T, s *pprofx.Snapshot) {
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
	pprofxtest.CheckDistinct(t, "frames", s.Frames, func(f *pprofx.Frame) string { return fmt.Sprintf("%#v", *f) })
	pprofxtest.CheckDistinct(t, "stacks", s.Stacks, func(ids []int32) string { return fmt.Sprint(ids) })
	pprofxtest.CheckDistinct(t, "label sets", s.LabelSets, func(set []pprofx.Label) string {
		return fmt.Sprintf("%#v", set)
	})
	if len(s.LabelSets[0]) != 0 {
		t.Fatalf("label set 0 is %v, want the empty set", s.LabelSets[0])
	}
}

func TestInterningIsByValue(t *testing.T) {
	frame := func(line int) *pprofx.Frame { return &pprofx.Frame{Function: "f", File: "a.js", Line: line} }
	b := pprofxtest.NewBuilder(0, 1)
	add := func(stack []*pprofx.Frame, labels ...pprofx.Label) {
		b.Add(&pprofx.Sample{Stack: stack, Labels: labels})
	}
	add([]*pprofx.Frame{frame(1), frame(2)}, pprofx.Label{Key: "k", Str: "v", Num: 1})
	add([]*pprofx.Frame{frame(1), frame(2)}, pprofx.Label{Key: "k", Str: "v", Num: 2})
	add([]*pprofx.Frame{frame(2), frame(1)}, pprofx.Label{Key: "k", Num: 2})
	add([]*pprofx.Frame{frame(2), frame(1)}, pprofx.Label{Key: "k", Num: 2, Unit: "bytes"})
	add(nil, []pprofx.Label{}...)
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
	b := pprofxtest.NewBuilder(0, 1)
	f, g := &pprofx.Frame{Function: "f"}, &pprofx.Frame{Function: "g"}
	s := &pprofx.Sample{Thread: "main", Stack: []*pprofx.Frame{f}}
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
			b := pprofxtest.NewBuilder(0, 1)
			b.SetLimits(pprofx.Limits{Frames: tt.frames, Stacks: tt.stacks, Rows: tt.rows})
			for i, stack := range []string{"ab", "c", "ba", "ab", "ca"} {
				s := &pprofx.Sample{Time: int64(i), Thread: "t"}
				for _, f := range stack {
					s.Stack = append(s.Stack, &pprofx.Frame{Function: string(f)})
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
			if s.Other() != tt.other || s.Lost[pprofx.LostFull] != tt.full {
				t.Errorf("other %d, full %d; want %d, %d", s.Other(), s.Lost[pprofx.LostFull], tt.other, tt.full)
			}
		})
	}
}

func TestCapsApplyAfreshAfterCut(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetLimits(pprofx.Limits{Frames: 1, Stacks: 1})
	b.Add(&pprofx.Sample{Time: 0, Stack: []*pprofx.Frame{{Function: "a"}}})
	b.Cut(1)
	b.Add(&pprofx.Sample{Time: 1, Stack: []*pprofx.Frame{{Function: "b"}}})
	if n := b.Cut(2).Other(); n != 0 {
		t.Errorf("%d stacks left out, want 0", n)
	}
}

func TestProcesses(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetProcess(1, pprofx.Process{Executable: "/bin/one"})
	b.SetProcess(2, pprofx.Process{Executable: "/bin/two"})
	b.Add(&pprofx.Sample{PID: 1})
	b.Add(&pprofx.Sample{PID: 3})
	b.Add(&pprofx.Sample{PID: 2, Time: 1})
	got := []map[int]pprofx.Process{b.Cut(1).Processes, b.Cut(2).Processes}
	want := []map[int]pprofx.Process{{1: {Executable: "/bin/one"}}, {2: {Executable: "/bin/two"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSnapshotsDoNotShare(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	g := pprofxtest.NewGenerator(rand.New(rand.NewPCG(7, 7)))
	for i := range int64(100) {
		b.Add(g.Sample(i))
	}
	first := b.Cut(50)
	rows, lost := slices.Clone(first.Rows), maps.Clone(first.Lost)
	for i := range int64(100) {
		b.Add(g.Sample(50 + i))
	}
	b.Lose(pprofx.LostLate, 1)
	b.Cut(200)
	if diff := cmp.Diff(rows, first.Rows); diff != "" {
		t.Errorf("a later cut changed the rows: %s", diff)
	}
	if diff := cmp.Diff(lost, first.Lost); diff != "" {
		t.Errorf("a later cut changed what was lost: %s", diff)
	}
}

// TestReusedPID: samples belong to the process that had their pid when they were taken, also if others have it later in
// the interval, and however often it is told anew what a process is.
func TestReusedPID(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetProcess(1, pprofx.Process{Service: "not yet known"})
	b.SetProcess(2, pprofx.Process{Service: "other"})
	for _, at := range []int64{12, 3, 9, 25} { // those of several CPUs come in any order
		b.Add(&pprofx.Sample{PID: 1, Time: at})
	}
	b.Add(&pprofx.Sample{PID: 2, Time: 11})
	b.SetProcess(1, pprofx.Process{Service: "first"})
	b.EndProcess(1, 10)
	b.SetProcess(1, pprofx.Process{Service: "second"})
	b.EndProcess(1, 20)
	b.Shift(100)
	b.SetProcess(1, pprofx.Process{Service: "third"})
	b.Add(&pprofx.Sample{PID: 1, Time: 135})
	type piece struct {
		start, end int64
		rows       int
		processes  map[int]pprofx.Process
	}
	var got []piece
	for _, s := range append(b.CutByProcess(130), b.CutByProcess(140)...) {
		checkTables(t, s)
		got = append(got, piece{s.Start, s.End, len(s.Rows), s.Processes})
	}
	want := []piece{
		{100, 110, 2, map[int]pprofx.Process{1: {Service: "first"}}},
		{110, 120, 2, map[int]pprofx.Process{1: {Service: "second"}, 2: {Service: "other"}}},
		{120, 130, 1, map[int]pprofx.Process{1: {Service: "third"}}},
		{130, 140, 1, map[int]pprofx.Process{1: {Service: "third"}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(piece{})); diff != "" {
		t.Error(diff)
	}
}
