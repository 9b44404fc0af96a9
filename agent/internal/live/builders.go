package live

import (
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// Builders build the open snapshots: that of the sinks, which is the embedded one, and that of the subscribers. They
// are not safe for concurrent use.
type Builders struct {
	*pprofx.Builder
	period  time.Duration
	limits  pprofx.Limits
	measure pprofx.Measure
	live    *pprofx.Builder // nil: nobody subscribes
	since   int64           // when live was begun, Unix time in nanoseconds
	end     time.Time       // when the snapshot of live is to be cut
}

// NewBuilders returns Builders whose first snapshot begins at start. Each sample stands for period of CPU time.
func NewBuilders(start time.Time, period time.Duration) (*Builders, error) {
	b, err := pprofx.NewBuilder(start.UnixNano(), int64(period))
	return &Builders{Builder: b, period: period}, err
}

// Begin begins the snapshots for subscribers.
func (b *Builders) Begin(now time.Time) {
	b.since, b.end = now.UnixNano(), now.Add(Interval)
	b.live, _ = pprofx.NewBuilder(b.since, int64(b.period)) // NewBuilders has checked the period
	b.live.SetLimits(b.limits)
	b.live.SetMeasure(b.measure)
}

// SetMeasure says what samples count. Call it before the first sample.
func (b *Builders) SetMeasure(m pprofx.Measure) {
	b.measure = m
	b.Builder.SetMeasure(m)
}

// Stop ends them.
func (b *Builders) Stop() { b.live = nil }

// End returns when the snapshot for subscribers is to be cut; zero: there is none.
func (b *Builders) End() time.Time {
	if b.live == nil {
		return time.Time{}
	}
	return b.end
}

// CutLive ends the snapshot for subscribers, and begins the next one. It returns nil if there is none.
func (b *Builders) CutLive(end time.Time) *pprofx.Snapshot {
	if b.live == nil {
		return nil
	}
	b.end = end.Add(Interval)
	return b.live.Cut(end.UnixNano())
}

// SetPeriod says for how much CPU time each sample stands from now on. Call it after a cut of both.
func (b *Builders) SetPeriod(period time.Duration) {
	b.period = period
	b.Builder.SetPeriod(int64(period))
	if b.live != nil {
		b.live.SetPeriod(int64(period))
	}
}

// SetLimits bounds what each of the open snapshots may hold.
func (b *Builders) SetLimits(l pprofx.Limits) {
	b.limits = l
	b.Builder.SetLimits(l)
	if b.live != nil {
		b.live.SetLimits(l)
	}
}

// Add adds a sample.
func (b *Builders) Add(s *pprofx.Sample) {
	b.Builder.Add(s)
	if b.live != nil && s.Time >= b.since {
		b.live.Add(s)
	}
}

// Lose counts samples that are in no snapshot.
func (b *Builders) Lose(reason pprofx.LostReason, n int64) {
	b.Builder.Lose(reason, n)
	if b.live != nil {
		b.live.Lose(reason, n)
	}
}

// SetProcess describes a process.
func (b *Builders) SetProcess(pid int, p pprofx.Process) {
	b.Builder.SetProcess(pid, p)
	if b.live != nil {
		b.live.SetProcess(pid, p)
	}
}
