package live

import (
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// Builders build the open snapshots: that of the sinks, which is the embedded one, and that of the subscribers; where
// hits are sampled beside the timer, that of hits too, which the sinks get. They are not safe for concurrent use.
type Builders struct {
	*pprofx.Builder
	hits    *pprofx.Builder // nil: all samples are of one measure
	period  time.Duration
	limits  pprofx.Limits
	measure pprofx.Measure
	live    *pprofx.Builder                // nil: nobody subscribes
	since   int64                          // when live was begun, Unix time in nanoseconds
	end     time.Time                      // when the snapshot of live is to be cut
	lost    [2]map[pprofx.LostReason]int64 // as LoseMore was told last
}

// NewBuilders returns Builders whose first snapshot begins at start. Each sample stands for period of CPU time, if that
// is what samples count. A second measure is that of hits, which have snapshots of their own then.
func NewBuilders(start time.Time, period time.Duration, measures ...pprofx.Measure) (*Builders, error) {
	b := &Builders{period: period, measure: measures[0]}
	for i, to := range []**pprofx.Builder{&b.Builder, &b.hits}[:len(measures)] {
		var err error
		if *to, err = pprofx.NewBuilder(start.UnixNano(), int64(period)); err != nil {
			return nil, err
		}
		(*to).SetMeasure(measures[i])
	}
	return b, nil
}

// of returns that of the samples of the timer, or of hits.
func (b *Builders) of(hits bool) *pprofx.Builder {
	if hits && b.hits != nil {
		return b.hits
	}
	return b.Builder
}

// Cut ends the open snapshots of the sinks at a Unix time in nanoseconds: those of hits, if there are any, come last.
// Of each there are several if a pid was that of two processes.
func (b *Builders) Cut(end int64) []*pprofx.Snapshot {
	cut := b.CutByProcess(end)
	if b.hits != nil {
		cut = append(cut, b.hits.CutByProcess(end)...)
	}
	return cut
}

// Begin begins the snapshots for subscribers.
func (b *Builders) Begin(now time.Time) {
	b.since, b.end = now.UnixNano(), now.Add(Interval)
	b.live, _ = pprofx.NewBuilder(b.since, int64(b.period)) // NewBuilders has checked the period
	b.live.SetLimits(b.limits)
	b.live.SetMeasure(b.measure)
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

// Due returns when the snapshot for subscribers is to be cut if that takes place so long after its end; zero: never.
func (b *Builders) Due(after time.Duration) time.Time {
	if b.live == nil {
		return time.Time{}
	}
	return b.end.Add(after)
}

// CutLive ends the snapshot for subscribers, and begins the next one. It returns none if nobody subscribes, and several
// if a pid was that of two processes.
func (b *Builders) CutLive(end time.Time) []*pprofx.Snapshot {
	if b.live == nil {
		return nil
	}
	b.end = end.Add(Interval)
	return b.live.CutByProcess(end.UnixNano())
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

// Shift says that the time of day was set, by d, when snapshots were cut: at this time, on the new clock.
func (b *Builders) Shift(d time.Duration, at time.Time) {
	b.Builder.Shift(int64(d))
	if b.hits != nil {
		b.hits.Shift(int64(d))
	}
	if b.live != nil {
		b.live.Shift(int64(d))
		b.since, b.end = b.since+int64(d), at.Add(Interval)
	}
}

// Add adds a sample of the timer, or a hit, and reports whether the sinks get it.
func (b *Builders) Add(s *pprofx.Sample, hit bool) bool {
	to := b.of(hit)
	if b.live != nil && to != b.hits && s.Time >= b.since {
		b.live.Add(s)
	}
	return to.Add(s)
}

// Refused is why Add refuses a sample of a time, in nanoseconds.
func (b *Builders) Refused(at int64, hit bool) pprofx.LostReason { return b.of(hit).Refused(at) }

// Lose counts samples, or hits, that are in no snapshot.
func (b *Builders) Lose(reason pprofx.LostReason, n int64, hits bool) {
	to := b.of(hits)
	to.Lose(reason, n)
	if b.live != nil && to != b.hits {
		b.live.Lose(reason, n)
	}
}

// LoseMore counts what has been lost since the last call, of the timer's samples and of hits: both are sums since the
// first one.
func (b *Builders) LoseMore(ofTimer, ofHits map[pprofx.LostReason]int64) {
	for i, sums := range []map[pprofx.LostReason]int64{ofTimer, ofHits} {
		for reason, n := range sums {
			b.Lose(reason, n-b.lost[i][reason], i == 1)
		}
		b.lost[i] = sums
	}
}

// SetProcess describes a process.
func (b *Builders) SetProcess(pid int, p pprofx.Process) {
	b.Builder.SetProcess(pid, p)
	if b.hits != nil {
		b.hits.SetProcess(pid, p)
	}
	if b.live != nil {
		b.live.SetProcess(pid, p)
	}
}

// EndProcess says that a process has ended, or runs another program. b may be nil, as long as nothing is sampled.
func (b *Builders) EndProcess(pid int, at int64) {
	if b == nil {
		return
	}
	for _, to := range []*pprofx.Builder{b.Builder, b.hits, b.live} {
		if to != nil {
			to.EndProcess(pid, at)
		}
	}
}
