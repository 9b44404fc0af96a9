package pprofx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Snapshot is all that was sampled in [Start, End), immutable. Stacks and label sets are interned: Rows refer to
// them by index.
type Snapshot struct {
	Start, End int64           // Unix time in nanoseconds
	Period     int64           // nanoseconds of CPU time that one sample stands for
	Processes  map[int]Process // by pid: those of Rows that are known
	Frames     []*Frame        // each value once
	Stacks     [][]int32       // indices into Frames, leaf first; each once
	LabelSets  [][]Label       // sorted by Key; each once; element 0 is the empty set
	Rows       []Row           // by time
	// Lost counts samples that are in no row, by reason. They are counted in the interval in which the loss became
	// known, so that over all snapshots of a recording taken = rows + lost.
	Lost map[LostReason]int64
}

// Process is what is known of a sampled process, by pid.
type Process struct {
	Executable string // path as the process sees it
	Service    string // service.name where known, else empty
	Container  string // container id, else empty
	// Attributes are what else the process says of itself, by OpenTelemetry's names, in an order that stays.
	Attributes []Label
}

// Row is one sample of a Snapshot.
type Row struct {
	Time   int64 // Unix time in nanoseconds
	Stack  int32 // index into Snapshot.Stacks
	Labels int32 // index into Snapshot.LabelSets
	PID    int32
	TID    int32
	CPU    int32
	State  State
	Thread string
	Stop   StopReason
}

// LostReasons returns the keys of s.Lost in the order of their texts.
func (s *Snapshot) LostReasons() []LostReason {
	return slices.SortedFunc(maps.Keys(s.Lost), func(a, b LostReason) int { return cmp.Compare(a.String(), b.String()) })
}

// Check returns an error if an index of s is out of range or a frame is nil. Snapshots of a Builder always pass; the
// writers call it, so that one made by hand gives an error instead of a panic.
func (s *Snapshot) Check() error {
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
		}
	}
	return nil
}

// Other counts the rows whose stack was left out because the snapshot was full: their stack is the one frame
// OtherFunction.
func (s *Snapshot) Other() int64 {
	var n int64
	for i := range s.Rows {
		stack := s.Stacks[s.Rows[i].Stack]
		if len(stack) == 1 && *s.Frames[stack[0]] == *otherFrame {
			n++
		}
	}
	return n
}
