package pprofx

import (
	"fmt"
	"maps"
	"math"
)

// Merger makes one snapshot of several that follow each other. It keeps what is distinct once. It is not safe for
// concurrent use.
type Merger struct {
	out     *Snapshot
	tables  *tables
	maxRows int
}

// NewMerger returns a Merger without snapshots, for at most so many rows.
func NewMerger(maxRows int) *Merger {
	return &Merger{tables: newTables(MaxFrames, MaxStacks, MaxLabelSets), maxRows: maxRows}
}

// Add adds a snapshot. It must have the period of those before. Rows beyond the limit are lost with the reason
// LostFull.
func (m *Merger) Add(s *Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	if m.out == nil {
		m.out = &Snapshot{
			Start: s.Start, End: math.MinInt64, Measure: s.Measure, Period: s.Period,
			Processes: map[int]Process{}, Lost: map[LostReason]int64{},
		}
	}
	if s.Measure != m.out.Measure {
		return errMixed
	}
	if s.Period != m.out.Period {
		return fmt.Errorf("snapshots of %d and %d ns a sample cannot be one", m.out.Period, s.Period)
	}
	m.out.Start, m.out.End = min(m.out.Start, s.Start), max(m.out.End, s.End)
	m.out.Untimed = m.out.Untimed || s.Untimed
	maps.Copy(m.out.Processes, s.Processes)
	for reason, n := range s.Lost {
		m.out.Lost[reason] += n
	}
	m.addRows(s)
	return nil
}

func (m *Merger) addRows(s *Snapshot) {
	stacks, sets := make([]int32, len(s.Stacks)), make([]int32, len(s.LabelSets))
	threads := make([]int32, len(s.Threads))
	var frames []*Frame
	for i, stack := range s.Stacks {
		frames = frames[:0]
		for _, f := range stack {
			frames = append(frames, s.Frames[f])
		}
		stacks[i] = m.tables.stack(frames)
	}
	for i, labels := range s.LabelSets {
		sets[i] = m.tables.labelSet(labels)
	}
	for i, name := range s.Threads {
		threads[i] = m.tables.thread(name)
	}
	for _, r := range s.Rows {
		if len(m.out.Rows) >= m.maxRows {
			m.out.Lost[LostFull]++
			continue
		}
		r.Stack, r.Labels, r.Thread = stacks[r.Stack], sets[r.Labels], threads[r.Thread]
		m.out.Rows = append(m.out.Rows, r)
	}
}

// Snapshot returns the snapshots so far as one, and begins anew; nil if there are none.
func (m *Merger) Snapshot() *Snapshot {
	s := m.out
	if s != nil {
		t := m.tables
		s.Frames, s.Stacks, s.LabelSets, s.Threads = t.frames, t.stacks, t.labels, t.threads
	}
	*m = *NewMerger(m.maxRows)
	return s
}
