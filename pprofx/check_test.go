package pprofx_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestNewBuilderPeriod(t *testing.T) {
	for _, period := range []int64{0, -1} {
		if b, err := pprofx.NewBuilder(0, period); err == nil || b != nil {
			t.Errorf("period %d: %v, %v", period, b, err)
		}
	}
}

// TestMalformedSnapshots: each writer gives an error of a snapshot that refers to what is not there.
func TestMalformedSnapshots(t *testing.T) {
	whole := func() *pprofx.Snapshot {
		return &pprofx.Snapshot{
			Period: 1, Frames: []*pprofx.Frame{{Function: "f"}}, Stacks: [][]int32{{0}},
			LabelSets: [][]pprofx.Label{nil}, Threads: []string{""}, Rows: []pprofx.Row{{}},
		}
	}
	if err := whole().Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*pprofx.Snapshot){
		"snapshot: end -1 before start 0":        func(s *pprofx.Snapshot) { s.End = -1 },
		"snapshot: frame 0 is nil":               func(s *pprofx.Snapshot) { s.Frames[0] = nil },
		"snapshot: stack 0: frame 1 of 1":        func(s *pprofx.Snapshot) { s.Stacks[0][0] = 1 },
		"snapshot: stack 0: frame -1 of 1":       func(s *pprofx.Snapshot) { s.Stacks[0][0] = -1 },
		"snapshot: row 0: stack 1 of 1":          func(s *pprofx.Snapshot) { s.Rows[0].Stack = 1 },
		"snapshot: row 0: stack -1 of 1":         func(s *pprofx.Snapshot) { s.Rows[0].Stack = -1 },
		"snapshot: row 0: label set 0 of 0":      func(s *pprofx.Snapshot) { s.LabelSets = nil },
		"snapshot: row 0: label set -2 of 1":     func(s *pprofx.Snapshot) { s.Rows[0].Labels = -2 },
		"snapshot: row 0: thread 1 of 1":         func(s *pprofx.Snapshot) { s.Rows[0].Thread = 1 },
		"snapshot: row 0: thread -1 of 1":        func(s *pprofx.Snapshot) { s.Rows[0].Thread = -1 },
		"snapshot: row 0: label set 2000 of 1":   func(s *pprofx.Snapshot) { s.Rows[0].Labels = 2000 },
		"snapshot: stack 0: frame 100000 of 1":   func(s *pprofx.Snapshot) { s.Stacks[0][0] = 100000 },
		"snapshot: row 0: stack 2147483647 of 1": func(s *pprofx.Snapshot) { s.Rows[0].Stack = 1<<31 - 1 },
	} {
		s := whole()
		spoil(s)
		for format, newWriter := range writers {
			if err := newWriter(io.Discard).Add(s); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", format, err, want)
			}
		}
	}
}

func TestNilFrame(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	leaf := &pprofx.Frame{Function: "f"}
	b.Add(&pprofx.Sample{Stack: []*pprofx.Frame{leaf, nil, nil}})
	s := b.Cut(1)
	want := []*pprofx.Frame{leaf, {Function: "[unknown]", Kind: pprofx.Marker}}
	if diff := cmp.Diff(want, s.Frames); diff != "" || s.Check() != nil || len(s.Stacks[0]) != 3 {
		t.Errorf("stack %v, %v: %s", s.Stacks[0], s.Check(), diff)
	}
}
