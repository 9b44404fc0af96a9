package pprofx

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is cut in pieces and merged again has the samples, losses and processes of the whole.
func TestMerge(t *testing.T) {
	whole := randomSnapshot(t, 5)
	m := NewMerger(MaxRows)
	for i := range int64(10) {
		piece := whole.Where(func(r *Row) bool { return r.Time >= 50*i && r.Time < 50*(i+1) })
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
	if !slices.IsSortedFunc(got.Rows, func(a, b Row) int { return int(a.Time - b.Time) }) {
		t.Error("the samples are not in order")
	}
	if again := m.Snapshot(); again != nil {
		t.Errorf("%d samples come again", len(again.Rows))
	}
}

// Rows beyond the limit are counted.
func TestMergeIsBounded(t *testing.T) {
	m := NewMerger(400)
	if err := m.Add(randomSnapshot(t, 5)); err != nil {
		t.Fatal(err)
	}
	if s := m.Snapshot(); len(s.Rows) != 400 || s.Lost[LostFull] != 100 {
		t.Errorf("%d samples, %d lost", len(s.Rows), s.Lost[LostFull])
	}
}

func TestMergeRefuses(t *testing.T) {
	m := NewMerger(MaxRows)
	if err := m.Add(randomSnapshot(t, 1)); err != nil {
		t.Fatal(err)
	}
	other := *randomSnapshot(t, 2)
	other.Period++
	if err := m.Add(&other); err == nil {
		t.Error("samples of two weights are one snapshot")
	}
	other.Period, other.Stacks = 10, nil
	if err := m.Add(&other); err == nil {
		t.Error("a snapshot with bad indices is taken")
	}
}
