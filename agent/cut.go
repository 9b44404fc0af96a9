package agent

import (
	"maps"
	"time"

	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/trigger"
)

// open notes when the open snapshot begins, and when it is to be cut.
func (a *Agent) open(start time.Time) {
	a.since, a.end = start, start.Add(a.config.SnapshotEvery)
	if a.config.SnapshotEvery == 0 {
		a.end = start.AddDate(100, 0, 0)
	}
}

// cut ends the snapshot at a time, queues it for the sinks, and opens the next one.
func (a *Agent) cut(end time.Time) {
	a.countLosses()
	a.cutLive(end) // before the source maps of ended processes are forgotten
	for _, snapshot := range a.builder.Cut(end.UnixNano()) {
		a.stats.written(snapshot)
		if a.config.Progress != nil { // before a sink has the snapshot, which prints both
			a.config.Progress(a.stats.progress(time.Now()))
		}
		a.passes.Put(snapshot)
	}
	a.open(a.followClock(end))
	a.tell()
}

// setRate goes over to another rate. It cuts a snapshot, since all samples of one have the same weight.
func (a *Agent) setRate(rate int) error {
	at, err := a.sampler.Change(trigger.Config{Rate: rate})
	if at != 0 {
		a.drainAll(at)
		a.begin(at, rate)
	}
	return err
}

// begin cuts the snapshot at a time on the clock of samples. Those of the next have the weight of a rate.
func (a *Agent) begin(at int64, rate int) {
	a.cut(a.clock.Time(at))
	a.rate = rate
	a.builder.SetPeriod(a.trigger().Period())
}

// trigger is what makes the BPF program take samples.
func (a *Agent) trigger() trigger.Config { return trigger.Config{Rate: a.rate} }

// followClock returns what a time, at which a snapshot has ended, is on a clock that was set meanwhile.
func (a *Agent) followClock(end time.Time) time.Time {
	if !a.config.FollowClock {
		return end
	}
	now := a.clock.Follow(end)
	if moved := time.Duration(now.UnixNano() - end.UnixNano()); moved != 0 {
		a.builder.Shift(moved, now)
		a.log.Warn("the time of day was set: snapshots follow it", "by", moved.Round(time.Millisecond))
	}
	return now
}

// now is the time on the clock of samples, as Unix time.
func (a *Agent) now() time.Time { return a.clock.Time(sampler.Now()) }

// tell reports the counts so far.
func (a *Agent) tell() {
	if a.config.OnCut != nil {
		s := a.stats
		s.Executables, s.Rate, s.SnapshotEvery = a.files.Len(), a.rate, a.config.SnapshotEvery
		s.SnapshotsLost, s.Lost, s.TimerThrottled = a.passes.Lost(), maps.Clone(s.Lost), a.sampler.Throttled()
		a.config.OnCut(s, len(a.targets))
	}
}

// countLosses adds to the snapshot the samples that the BPF program has dropped since the last call.
func (a *Agent) countLosses() {
	c, err := a.sampler.Counters()
	if err != nil {
		a.log.Warn("the BPF program's counters cannot be read", "why", err)
		return
	}
	a.stats.Taken, a.stats.InKernel = int64(c.Taken), time.Duration(c.Nanoseconds)
	a.builder.LoseMore(c.Lost, c.LostHits)
	n := int64(c.EventRingFull) + a.malformed - a.lifecycleLost
	if n > 0 {
		a.log.Warn("starts and ends of processes are lost", "events", n, "malformed so far", a.malformed)
	}
	if a.lifecycleLost += n; n > 0 || a.sampler.PlaceFreed() {
		a.catchUp()
	}
}

// slack is how long the last samples of a snapshot may take to arrive after its end: the BPF program writes a sample to
// the ring buffer microseconds after it has read the clock.
const slack = 20 * time.Millisecond

// followLive begins, cuts and ends the snapshots for subscribers.
func (a *Agent) followLive(now time.Time) {
	switch end := a.builder.End(); {
	case !a.config.Live.Wanted():
		a.builder.Stop()
	case end.IsZero():
		a.countLosses() // before it
		a.builder.Begin(now)
		for _, t := range a.targets {
			a.builder.SetProcess(t.PID, t.described())
		}
	case now.After(end.Add(slack)):
		a.countLosses()
		a.cutLive(end)
	}
}

// cutLive ends the snapshot for subscribers, if there are any.
func (a *Agent) cutLive(end time.Time) {
	for _, s := range a.builder.CutLive(end) {
		a.passes.PutLive(s)
	}
}
