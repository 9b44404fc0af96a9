package pprofx_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// What is cut in pieces and merged again has the samples, losses and processes of the whole.
func TestMerge(t *testing.T) {
	whole := pprofxtest.Random(t, 5)
	m := pprofx.NewMerger(pprofx.MaxRows)
	for i := range int64(10) {
		piece := whole.Where(func(r *pprofx.Row) bool { return r.Time >= 50*i && r.Time < 50*(i+1) })
		piece.Start, piece.End = 50*i, 50*(i+1)
		if i > 0 {
			piece.Lost = nil
		}
		if err := m.Add(piece); err != nil {
			t.Fatal(err)
		}
	}
	got := m.Snapshot()
	if diff := cmp.Diff(lines(t, whole), lines(t, got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(whole.Processes, got.Processes) + cmp.Diff(whole.Lost, got.Lost); diff != "" {
		t.Error(diff)
	}
	if got.Start != 0 || got.End != 500 || len(got.Stacks) != len(whole.Stacks) ||
		len(got.Frames) != len(whole.Frames) {
		t.Errorf("[%d, %d), %d stacks of %d, %d frames of %d", got.Start, got.End, len(got.Stacks), len(whole.Stacks),
			len(got.Frames), len(whole.Frames))
	}
	if !slices.IsSortedFunc(got.Rows, func(a, b pprofx.Row) int { return int(a.Time - b.Time) }) {
		t.Error("the samples are not in order")
	}
	if again := m.Snapshot(); again != nil {
		t.Errorf("%d samples come again", len(again.Rows))
	}
}

// Rows beyond the limit are counted.
func TestMergeIsBounded(t *testing.T) {
	m := pprofx.NewMerger(400)
	if err := m.Add(pprofxtest.Random(t, 5)); err != nil {
		t.Fatal(err)
	}
	if s := m.Snapshot(); len(s.Rows) != 400 || s.Lost[pprofx.LostFull] != 100 {
		t.Errorf("%d samples, %d lost", len(s.Rows), s.Lost[pprofx.LostFull])
	}
}

// All rows are counted that come after it is said that there is no room, until the next snapshot.
func TestMergeLosesRest(t *testing.T) {
	m := pprofx.NewMerger(pprofx.MaxRows)
	add := func(seed uint64) {
		t.Helper()
		if err := m.Add(pprofxtest.Random(t, seed)); err != nil {
			t.Fatal(err)
		}
	}
	add(5)
	m.LoseRest()
	bytes := m.Bytes()
	add(6)
	if s := m.Snapshot(); len(s.Rows) != 500 || s.Lost[pprofx.LostFull] != 500 || s.Check() != nil {
		t.Errorf("%d samples, %d lost", len(s.Rows), s.Lost[pprofx.LostFull])
	}
	if after := m.Bytes(); bytes == 0 || after != 0 {
		t.Errorf("%d bytes, and %d of nothing", bytes, after)
	}
	add(7)
	if s := m.Snapshot(); len(s.Rows) != 500 || s.Lost[pprofx.LostFull] != 0 {
		t.Errorf("%d samples, %d lost", len(s.Rows), s.Lost[pprofx.LostFull])
	}
}

// TestMergerBytes: what a Merger says it takes is what the heap grows by, more or less.
func TestMergerBytes(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc)
	}
	for name, depth := range map[string]int{"shallow": 1, "deep": 100} {
		m, before := pprofx.NewMerger(pprofx.MaxRows), heap()
		for at := range int64(80) {
			if err := m.Add(manySnapshot(t, at, depth)); err != nil {
				t.Fatal(err)
			}
		}
		grown := heap() - before
		if n := m.Bytes(); n < grown/2 || n > grown*2 {
			t.Errorf("%s: %d bytes, and the heap has grown by %d", name, n, grown)
		}
	}
}

// manySnapshot has a hundred samples of different frames, stacks and labels.
func manySnapshot(t *testing.T, at int64, depth int) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(at, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		name := fmt.Sprintf("%d of the snapshot at %d", i, at)
		s := &pprofx.Sample{Time: at, PID: 1}
		s.Labels = []pprofx.Label{{Key: "trace_id", Str: name}, {Key: "n", Num: int64(i)}}
		for j := range depth {
			s.Stack = append(s.Stack, &pprofx.Frame{Function: "f", Line: i*depth + j, File: "file.js"})
		}
		s.Stack = append(s.Stack, &pprofx.Frame{Function: name})
		b.Add(s)
	}
	return b.Cut(at + 1)
}

func TestMergeRefuses(t *testing.T) {
	m := pprofx.NewMerger(pprofx.MaxRows)
	if err := m.Add(pprofxtest.Random(t, 1)); err != nil {
		t.Fatal(err)
	}
	other := *pprofxtest.Random(t, 2)
	other.Period++
	if err := m.Add(&other); err == nil {
		t.Error("samples of two weights are one snapshot")
	}
	other.Period, other.Stacks = 10, nil
	if err := m.Add(&other); err == nil {
		t.Error("a snapshot with bad indices is taken")
	}
}

// A pid that several processes have had is described by what is so of all of them.
func TestMergeReusedPID(t *testing.T) {
	m := pprofx.NewMerger(pprofx.MaxRows)
	for _, s := range pprofxtest.ReusedPID(t) {
		if err := m.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	want := map[int]pprofx.Process{
		1: {Executable: "/bin/node", Attributes: []pprofx.Label{{Key: "tier", Str: "web"}}}, 2: {Service: "other"},
	}
	if diff := cmp.Diff(want, m.Snapshot().Processes); diff != "" {
		t.Error(diff)
	}
}

// Rows that are lost count by the hits that they stand for.
func TestMergeLosesHits(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetMeasure(pprofx.HitCount)
	for _, others := range []int{0, 9, 4} {
		b.Add(&pprofx.Sample{Others: others})
	}
	m := pprofx.NewMerger(1)
	if err := m.Add(b.Cut(1)); err != nil {
		t.Fatal(err)
	}
	if s := m.Snapshot(); s.Hits()+s.Lost[pprofx.LostFull] != 16 {
		t.Errorf("%d hits, %d lost, want 16", s.Hits(), s.Lost[pprofx.LostFull])
	}
}
