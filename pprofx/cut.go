package pprofx

import (
	"cmp"
	"slices"
)

// Cut ends the open interval at end, Unix time in nanoseconds, and returns its snapshot: every sample with a Time
// before end, and all losses since the last cut. Samples from end on wait for the next snapshot, which starts at end.
// If end lies before the start of the interval, the snapshot is empty and ends at that start. A pid that two processes
// have had in the interval is not described.
func (b *Builder) Cut(end int64) *Snapshot {
	end = max(end, b.start)
	cut, left := split(b.rows, end)
	slices.SortStableFunc(cut, func(x, y Row) int { return cmp.Compare(x.Time, y.Time) })
	s := &Snapshot{
		Start: b.start, End: end, Period: b.period, Measure: b.measure, Processes: b.processes.of(cut), Lost: b.lost,
	}
	keepLongTurns(cut, b.measure)
	newCompaction(b.tables, s).add(cut)
	b.restart(end, left)
	return s
}

// maxPieces limits how many snapshots CutByProcess makes of an interval, in which a process may call execve often.
const maxPieces = 16

// CutByProcess is Cut, but returns consecutive snapshots if a pid is that of another process after some time: none has
// samples of both.
func (b *Builder) CutByProcess(end int64) []*Snapshot {
	var all []*Snapshot
	for len(all) < maxPieces-1 {
		reuse := b.processes.firstReuse(b.rows, end)
		if reuse >= end {
			break
		}
		all = append(all, b.Cut(reuse))
	}
	return append(all, b.Cut(end))
}

// split returns the rows before end, in the memory of rows, and a copy of the others with room for as many rows.
func split(rows []Row, end int64) (before, after []Row) {
	before, after = rows[:0], make([]Row, 0, len(rows))
	for _, r := range rows {
		if r.Time < end {
			before = append(before, r)
		} else {
			after = append(after, r)
		}
	}
	return before, after
}

// restart opens the interval that starts at start with the rows left over, in tables of their own: what only the
// snapshot refers to is forgotten.
func (b *Builder) restart(start int64, left []Row) {
	old := b.tables
	b.tables = old.next()
	var stack []*Frame
	for i := range left {
		r := &left[i]
		stack = stack[:0]
		for _, f := range old.stacks[r.Stack] {
			stack = append(stack, old.frames[f])
		}
		r.Stack = b.tables.Stack(stack)
		r.Labels = b.tables.sharedLabels(old.labels[r.Labels])
		r.Thread = b.tables.Thread(old.threads[r.Thread])
	}
	b.processes.forget(start)
	b.start, b.rows, b.lost = start, left, make(map[LostReason]int64)
}

// compaction copies rows into a snapshot and with them only the table entries that they refer to, numbered in the
// order in which the rows come to them.
type compaction struct {
	from                            *Tables
	to                              *Snapshot
	frames, stacks, labels, threads []int32 // old index → new index, or absent
}

const absent = -1

func newCompaction(from *Tables, to *Snapshot) *compaction {
	c := &compaction{
		from: from, to: to,
		frames:  allAbsent(len(from.frames)),
		stacks:  allAbsent(len(from.stacks)),
		labels:  allAbsent(len(from.labels)),
		threads: allAbsent(len(from.threads)),
	}
	to.LabelSets, to.Threads = [][]Label{nil}, []string{""}
	c.labels[0], c.threads[0] = 0, 0
	return c
}

func allAbsent(n int) []int32 { return slices.Repeat([]int32{absent}, n) }

func (c *compaction) add(rows []Row) {
	for i := range rows {
		rows[i].Stack = c.stack(rows[i].Stack)
		rows[i].Labels = c.labelSet(rows[i].Labels)
		rows[i].Thread = c.thread(rows[i].Thread)
	}
	c.to.Rows = rows
}

func (c *compaction) stack(old int32) int32 {
	if c.stacks[old] == absent {
		frames := make([]int32, len(c.from.stacks[old]))
		for i, f := range c.from.stacks[old] {
			frames[i] = c.frame(f)
		}
		c.stacks[old] = int32(len(c.to.Stacks))
		c.to.Stacks = append(c.to.Stacks, frames)
	}
	return c.stacks[old]
}

func (c *compaction) frame(old int32) int32 {
	if c.frames[old] == absent {
		c.frames[old] = int32(len(c.to.Frames))
		c.to.Frames = append(c.to.Frames, c.from.frames[old])
	}
	return c.frames[old]
}

func (c *compaction) labelSet(old int32) int32 {
	if c.labels[old] == absent {
		c.labels[old] = int32(len(c.to.LabelSets))
		c.to.LabelSets = append(c.to.LabelSets, c.from.labels[old])
	}
	return c.labels[old]
}

func (c *compaction) thread(old int32) int32 {
	if c.threads[old] == absent {
		c.threads[old] = int32(len(c.to.Threads))
		c.to.Threads = append(c.to.Threads, c.from.threads[old])
	}
	return c.threads[old]
}
