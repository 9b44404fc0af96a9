package pprofx

import "fmt"

// Builder collects samples and cuts them, by time, into consecutive snapshots: each starts where the one before it
// ends. It is not safe for concurrent use. The snapshots are, and do not depend on the Builder. Use NewBuilder to make
// one.
type Builder struct {
	start     int64
	period    int64
	measure   Measure
	maxRows   int
	processes processes
	tables    *Tables
	rows      []Row // in the order of arrival
	lost      map[LostReason]int64
}

// NewBuilder returns a Builder whose first snapshot starts at start, Unix time in nanoseconds. Each sample stands for
// period nanoseconds of CPU time; a period below 1 is an error.
func NewBuilder(start, period int64) (*Builder, error) {
	if period < 1 {
		return nil, fmt.Errorf("builder: period of %d ns, want at least 1", period)
	}
	return &Builder{
		start:     start,
		period:    period,
		maxRows:   MaxRows,
		processes: newProcesses(),
		tables:    NewTables(),
		lost:      make(map[LostReason]int64),
	}, nil
}

// Refused is why Add refuses a sample of a time, Unix time in nanoseconds; LostUnknown: it does not.
func (b *Builder) Refused(at int64) LostReason {
	switch {
	case at < b.start:
		return LostLate
	case len(b.rows) >= b.maxRows:
		return LostFull
	}
	return LostUnknown
}

// Add adds one sample, of any time from the start of the open interval on. An earlier one is lost with the reason
// LostLate. The Builder keeps the frames and the Labels slice, which must not change any more; the Sample itself and,
// unless it is Shared, its Stack slice may be reused. A nil frame counts as [unknown]. It reports whether the sample is
// not lost.
func (b *Builder) Add(s *Sample) bool {
	if reason := b.Refused(s.Time); reason != LostUnknown {
		b.Lose(reason, 1+int64(s.Others))
		return false
	}
	b.rows = append(b.rows, Row{
		Time:   s.Time,
		Start:  s.Start,
		Weight: s.Weight,
		Stack:  b.tables.sampleStack(s),
		Labels: b.tables.sharedLabels(s.Labels),
		PID:    int32(s.PID),
		TID:    int32(s.TID),
		Thread: b.tables.Thread(s.Thread),
		Others: int32(s.Others),
		Turn:   uint32(s.Turn),
		CPU:    uint16(s.CPU),
		State:  s.State,
		Stop:   s.Stop,
	})
	return true
}

// Lose counts n samples that were taken and never came to Add. The next Cut reports them. An n below 1 counts nothing.
func (b *Builder) Lose(reason LostReason, n int64) {
	if n > 0 {
		b.lost[reason] += n
	}
}

// SetPeriod says for how many nanoseconds of CPU time each sample of the open interval stands, and of all later ones. A
// period below 1 counts as 1. Call it after Cut, when the open interval has no samples of another period.
func (b *Builder) SetPeriod(period int64) { b.period = max(period, 1) }

// Shift says that the clock of the samples was set, by d nanoseconds, when the open interval began: what has been added
// to that, and its start, are so much later. Times of requests stay, which other clocks have measured.
func (b *Builder) Shift(d int64) {
	b.start += d
	b.processes.shift(d)
	for i := range b.rows {
		b.rows[i].Time += d
	}
}

// SetMeasure says what samples count, from the first one on; CPUTime if it is not called.
func (b *Builder) SetMeasure(m Measure) { b.measure, b.period = m, m.Period(b.period) }

// Limits are how much the open interval of a Builder may hold, see MaxFrames, MaxStacks, MaxLabelSets and MaxRows.
type Limits struct{ Frames, Stacks, LabelSets, Rows int }

// SetLimits lowers the limits from now on, or raises them again. More than the constants, and less than 1, counts as
// the constants.
func (b *Builder) SetLimits(l Limits) {
	at := func(limit, most int) int {
		if limit < 1 {
			return most
		}
		return min(limit, most)
	}
	b.tables.maxFrames, b.tables.maxStacks = at(l.Frames, MaxFrames), at(l.Stacks, MaxStacks)
	b.tables.limit.Max, b.maxRows = at(l.LabelSets, MaxLabelSets), at(l.Rows, MaxRows)
}

// SetProcess describes the process pid, in this and all later snapshots that have samples of it.
func (b *Builder) SetProcess(pid int, p Process) { b.processes.now[pid] = p }

// EndProcess says that the process pid has ended, or called execve, by a Unix time in nanoseconds that is not before
// the other ends of that pid. Earlier samples keep its description. SetProcess describes another one from then on.
func (b *Builder) EndProcess(pid int, at int64) { b.processes.end(pid, at) }
