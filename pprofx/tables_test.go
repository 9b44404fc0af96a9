package pprofx

import (
	"testing"
)

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

// newTestBuilder is NewBuilder for a period that it accepts.
func newTestBuilder(start, period int64) *Builder {
	b, err := NewBuilder(start, period)
	if err != nil {
		panic(err)
	}
	return b
}
