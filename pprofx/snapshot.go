package pprofx

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Snapshot holds all samples of the interval [Start, End). It is immutable and safe for concurrent use. Frames, stacks,
// label sets and names of threads are interned: each is there once, and others refer to it by index.
type Snapshot struct {
	Start, End int64           // Unix time in nanoseconds
	Measure    Measure         // what the samples count
	Period     int64           // CPU time that one sample stands for, in nanoseconds; of HitCount 0, else 1
	Processes  map[int]Process // by pid; only processes that have rows
	Frames     []*Frame        // each value once
	Stacks     [][]int32       // indices into Frames, leaf first; each once
	LabelSets  [][]Label       // sorted by Key; each once; element 0 is the empty set
	Threads    []string        // names; each once; element 0 is the empty name
	Rows       []Row           // ordered by time
	// Untimed says that only the interval is known of the samples, as of a pprof file: the Time of each row is Start.
	Untimed bool
	// Lost counts samples that are in no row. A loss counts in the interval in which it became known, so that over all
	// snapshots of a recording the samples taken are the sum of rows and losses.
	Lost map[LostReason]int64
}

// Row is one sample of a Snapshot. The fields are those of Sample. There are many: it has 56 bytes and no pointer.
type Row struct {
	Time   int64 // Unix time in nanoseconds
	Start  int64 // of the request, by the tracer's clock; 0 = not known
	Weight int64 // how much of the Measure it stands for, in its unit; of CPUTime and HitCount 0
	Stack  int32 // index into Snapshot.Stacks
	Labels int32 // index into Snapshot.LabelSets
	PID    int32
	TID    int32
	Thread int32 // index into Snapshot.Threads
	// Others are hits of a probe that the row stands for besides its own; -1: for none, but for a part of their Weight.
	Others int32
	// Turn numbers the turn of the thread's event loop, modulo 2^32; 0 = not known, shorter than LongTurn, or in the
	// loop's wait for events. Rows of a thread with equal numbers, and no other between them, are of one turn:
	// processes that have had one pid have other numbers.
	Turn  uint32
	CPU   uint16
	State State
	Stop  StopReason
}

// ErrMixed says that a file or a snapshot would have samples of two measures.
var ErrMixed = errors.New("CPU time, hits of probes, values of probes and time off the CPU cannot be in one")

// CheckTimed is Check for what shows CPU time: other measures are an error too.
func (s *Snapshot) CheckTimed() error {
	if s.Measure != CPUTime {
		return fmt.Errorf("the samples measure %v, not %v: write pprof, OTLP, collapsed stacks or JSON lines",
			s.Measure, CPUTime)
	}
	return s.Check()
}

// LostReasons returns the keys of s.Lost in the order of their texts.
func (s *Snapshot) LostReasons() []LostReason {
	byText := func(a, b LostReason) int { return cmp.Compare(a.String(), b.String()) }
	return slices.SortedFunc(maps.Keys(s.Lost), byText)
}

// Weight returns how much of its Measure a row stands for, in the measure's unit.
func (s *Snapshot) Weight(r *Row) int64 {
	switch {
	case s.Measure == CPUTime:
		return s.Period
	case s.Measure.Weighted():
		return r.Weight
	}
	return r.Hits()
}

// Hits returns how many hits of a probe a row stands for, and 1 for each other sample.
func (r *Row) Hits() int64 { return 1 + int64(r.Others) }

// Hits returns how many hits of probes, or other samples, the rows stand for.
func (s *Snapshot) Hits() (n int64) {
	for i := range s.Rows {
		n += s.Rows[i].Hits()
	}
	return n
}

// pids returns the pids that rows have.
func (s *Snapshot) pids() map[int]bool {
	pids := map[int]bool{}
	for i := range s.Rows {
		pids[int(s.Rows[i].PID)] = true
	}
	return pids
}

// Check returns an error if s ends before it starts, an index is out of range, a frame is nil or a weight negative.
// Snapshots of a Builder always pass; the writers call it, so that one made by hand gives an error instead of a panic.
func (s *Snapshot) Check() error {
	if s.End < s.Start {
		return fmt.Errorf("snapshot: end %d before start %d", s.End, s.Start)
	}
	if int(s.Measure) >= len(measureNames) {
		return fmt.Errorf("snapshot: measure %v is unknown", s.Measure)
	}
	if i := slices.Index(s.Frames, nil); i >= 0 {
		return fmt.Errorf("snapshot: frame %d is nil", i)
	}
	for i, stack := range s.Stacks {
		for _, f := range stack {
			if f < 0 || int(f) >= len(s.Frames) {
				return fmt.Errorf("snapshot: stack %d: frame %d of %d", i, f, len(s.Frames))
			}
		}
	}
	for i := range s.Rows {
		switch r := &s.Rows[i]; {
		case r.Stack < 0 || int(r.Stack) >= len(s.Stacks):
			return fmt.Errorf("snapshot: row %d: stack %d of %d", i, r.Stack, len(s.Stacks))
		case r.Labels < 0 || int(r.Labels) >= len(s.LabelSets):
			return fmt.Errorf("snapshot: row %d: label set %d of %d", i, r.Labels, len(s.LabelSets))
		case r.Thread < 0 || int(r.Thread) >= len(s.Threads):
			return fmt.Errorf("snapshot: row %d: thread %d of %d", i, r.Thread, len(s.Threads))
		case r.Weight < 0 || r.Others < -1:
			return fmt.Errorf("snapshot: row %d: weight %d, %d hits", i, r.Weight, r.Hits())
		}
	}
	return nil
}
