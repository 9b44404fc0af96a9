package agent

import (
	"maps"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// nextCut returns the end of the snapshot that begins at start.
func (a *Agent) nextCut(start time.Time) time.Time {
	if a.config.SnapshotEvery == 0 {
		return start.AddDate(100, 0, 0)
	}
	return start.Add(a.config.SnapshotEvery)
}

// cut ends the snapshot at a time and queues it for the sinks.
func (a *Agent) cut(end time.Time) {
	a.countLosses()
	a.kernel.Name()
	snapshot := a.builder.Cut(end.UnixNano())
	a.stats.written(snapshot)
	a.passes.put(snapshot)
	a.tell()
}

// tell reports the counts so far.
func (a *Agent) tell() {
	if a.config.OnCut != nil {
		s := a.stats
		s.Lost = maps.Clone(s.Lost)
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
