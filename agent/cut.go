package agent

import (
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// nextCut is the end of the snapshot that begins at a time.
func (a *Agent) nextCut(start time.Time) time.Time {
	if a.config.SnapshotEvery == 0 {
		return start.AddDate(100, 0, 0)
	}
	return start.Add(a.config.SnapshotEvery)
}

// cut ends the snapshot at a time and hands it over.
func (a *Agent) cut(end time.Time) {
	a.countLosses()
	snapshot := a.builder.Cut(end.UnixNano())
	a.stats.written(snapshot)
	a.passes.put(snapshot)
}

// countLosses puts what the BPF program could not hand over since the last time into the snapshot.
func (a *Agent) countLosses() {
	c, err := a.sampler.Counters()
	if err != nil {
		a.log.Warn("the BPF program's counters cannot be read", "why", err)
		return
	}
	a.stats.Taken = int64(c.Taken)
	a.stats.InKernel = time.Duration(c.Nanoseconds)
	if n := int64(c.RingFull) - a.counted.ringFull; n > 0 {
		a.counted.ringFull = int64(c.RingFull)
		a.builder.Lose(pprofx.LostRingFull, n)
	}
	if n := int64(c.EventRingFull) - a.counted.lifecycleLost; n > 0 {
		a.log.Warn("the ring buffer had no room for starts and ends of processes", "events", n)
		a.counted.lifecycleLost += n
		a.detachEnded()
	}
}
