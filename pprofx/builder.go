package pprofx

// Caps of one snapshot. They bound the memory of a recording that is never cut and of a target that makes up names.
// They count what the Builder holds, so the samples that wait for the next snapshot count in this one.
const (
	// MaxFrames caps distinct frames. A sample with a frame over it keeps all but its stack: that becomes [other].
	MaxFrames = 1 << 18
	// MaxStacks caps distinct stacks, in the same way.
	MaxStacks = 1 << 18
	// MaxRows caps samples. One over it is lost with the reason LostFull.
	MaxRows = 1 << 23
)

// Builder collects samples and cuts them, by time, into snapshots that touch. It is not safe for concurrent use.
type Builder struct {
	start     int64
	period    int64
	maxRows   int
	processes map[int]Process
	tables    *tables
	rows      []Row // in the order of arrival
	lost      map[LostReason]int64
}

// NewBuilder returns a Builder whose first snapshot starts at start, Unix time in nanoseconds. A sample stands for
// period nanoseconds of CPU time.
func NewBuilder(start, period int64) *Builder {
	return &Builder{
		start:     start,
		period:    period,
		maxRows:   MaxRows,
		processes: make(map[int]Process),
		tables:    newTables(MaxFrames, MaxStacks),
		lost:      make(map[LostReason]int64),
	}
}

// Add takes one sample. It may be of any time from the start of the open interval on; an earlier one is counted as
// lost, LostLate. The Sample may be reused after the call, what its Stack points to and its Labels may not.
func (b *Builder) Add(s *Sample) {
	if s.Time < b.start {
		b.Lose(LostLate, 1)
		return
	}
	if len(b.rows) >= b.maxRows {
		b.Lose(LostFull, 1)
		return
	}
	b.rows = append(b.rows, Row{
		Time:   s.Time,
		Stack:  b.tables.stack(s.Stack),
		Labels: b.tables.labelSet(s.Labels),
		PID:    int32(s.PID),
		TID:    int32(s.TID),
		CPU:    int32(s.CPU),
		State:  s.State,
		Thread: s.Thread,
		Stop:   s.Stop,
	})
}

// Lose counts n samples that were taken and never came to Add. They go into the next snapshot cut. An n below 1 counts
// nothing.
func (b *Builder) Lose(reason LostReason, n int64) {
	if n > 0 {
		b.lost[reason] += n
	}
}

// SetProcess says what is known of the process pid, for this and all later snapshots that have samples of it.
func (b *Builder) SetProcess(pid int, p Process) { b.processes[pid] = p }
