package pprofx

import (
	"fmt"
	"maps"
	"math"
	"unsafe"
)

// Merger makes one snapshot of several that follow each other. It keeps what is distinct once. What it says of a pid is
// so of all processes that have had it. It is not safe for concurrent use.
type Merger struct {
	out     *Snapshot
	tables  *Tables
	maxRows int
	full    bool
}

// NewMerger returns a Merger without snapshots, for at most so many rows.
func NewMerger(maxRows int) *Merger {
	return &Merger{tables: NewTables(), maxRows: maxRows}
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
		return ErrMixed
	}
	if s.Period != m.out.Period {
		return fmt.Errorf("snapshots of %d and %d ns a sample cannot be one", m.out.Period, s.Period)
	}
	m.out.Start, m.out.End = min(m.out.Start, s.Start), max(m.out.End, s.End)
	m.out.Untimed = m.out.Untimed || s.Untimed
	m.describe(s)
	for reason, n := range s.Lost {
		m.out.Lost[reason] += n
	}
	m.addRows(s)
	return nil
}

// describe adds what is known of the processes of a snapshot.
func (m *Merger) describe(s *Snapshot) {
	for pid := range s.pids() {
		p := s.Processes[pid]
		if before, ok := m.out.Processes[pid]; ok {
			p = before.Common(p)
		}
		m.out.Processes[pid] = p
	}
}

// Bytes is about what the snapshots so far take in memory.
func (m *Merger) Bytes() int {
	n := m.tables.bytes
	if m.out != nil {
		n += cap(m.out.Rows) * int(unsafe.Sizeof(Row{}))
	}
	return n
}

// LoseRest has the rows of all snapshots that come before the next call of Snapshot be lost, as those beyond the limit.
func (m *Merger) LoseRest() { m.full = true }

func (m *Merger) addRows(s *Snapshot) {
	if m.full {
		m.lose(s.Rows)
		return
	}
	stacks, sets := make([]int32, len(s.Stacks)), make([]int32, len(s.LabelSets))
	threads := make([]int32, len(s.Threads))
	var frames []*Frame
	for i, stack := range s.Stacks {
		frames = frames[:0]
		for _, f := range stack {
			frames = append(frames, s.Frames[f])
		}
		stacks[i] = m.tables.Stack(frames)
	}
	clear(m.tables.byPointer) // the next snapshot may have pointers of its own, and these keep its frames
	for i, labels := range s.LabelSets {
		sets[i] = m.tables.LabelSet(labels)
	}
	for i, name := range s.Threads {
		threads[i] = m.tables.Thread(name)
	}
	for i, r := range s.Rows {
		if len(m.out.Rows) >= m.maxRows {
			m.lose(s.Rows[i:])
			return
		}
		r.Stack, r.Labels, r.Thread = stacks[r.Stack], sets[r.Labels], threads[r.Thread]
		m.out.Rows = append(m.out.Rows, r)
	}
}

// lose counts rows, by the hits that they stand for.
func (m *Merger) lose(rows []Row) {
	if n := (&Snapshot{Rows: rows}).Hits(); n > 0 {
		m.out.Lost[LostFull] += n
	}
}

// Snapshot returns the snapshots so far as one, and begins anew; nil if there are none.
func (m *Merger) Snapshot() *Snapshot {
	s := m.out
	if s != nil {
		t := m.tables
		t.Fill(s)
		maps.DeleteFunc(s.Processes, func(_ int, p Process) bool { return p.Equal(Process{}) })
	}
	*m = *NewMerger(m.maxRows)
	return s
}
