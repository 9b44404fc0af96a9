package agent

import (
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/verify"
)

const (
	progressEvery = 500 * time.Millisecond
	endedEvery    = 50 * time.Millisecond
	takeEvery     = 10 * time.Millisecond
	refreshEvery  = 50 * time.Millisecond // at most, while samples have addresses in no known mapping
)

// maintain refreshes processes that have just started or whose mappings have changed, and reports progress.
func (a *Agent) maintain() {
	now := time.Now()
	a.sampler.FollowCPUs(a.log)
	a.watched = slices.DeleteFunc(a.watched, func(t *target) bool {
		t.watched = a.targets[t.PID] == t && a.maintainTarget(t, now)
		return !t.watched
	})
	a.retryStarts(now)
	if a.config.Progress != nil && now.Sub(a.shown) > progressEvery {
		a.shown = now
		a.config.Progress(a.stats.progress(now))
	}
}

// maintainTarget reports whether there is more to do for a process, though no sample comes.
func (a *Agent) maintainTarget(t *target, now time.Time) bool {
	outdated := t.symbolizer.MappingsOutdated() && now.Sub(t.refreshed) > refreshEvery
	published := t.sampled && t.labels.PublishedOutdated(now)
	t.sampled = false
	a.takeV8(t)
	if t.refreshAt.Due(now) || outdated || published {
		a.refreshMappings(t, now)
	}
	return len(t.refreshAt) > 0 || t.code.Reading() || t.symbolizer.MappingsOutdated()
}

// nextMaintenance is when maintain has something to do, though no record came; zero: never.
func (a *Agent) nextMaintenance() (next time.Time) {
	for _, t := range a.watched {
		next = jobs.Earliest(next, t.refreshAt.Next())
		if t.code.Reading() {
			next = jobs.Earliest(next, time.Now().Add(takeEvery))
		}
		if t.symbolizer.MappingsOutdated() && !t.refreshing {
			next = jobs.Earliest(next, t.refreshed.Add(refreshEvery))
		}
	}
	next = jobs.Earliest(next, a.starts.Next())
	if a.config.Progress != nil {
		next = jobs.Earliest(next, a.shown.Add(progressEvery))
	}
	if len(a.targets) == 0 && (a.config.Select.Tree != 0 || a.shells.Any()) {
		next = jobs.Earliest(next, time.Now().Add(endedEvery)) // nothing tells that these have ended
	}
	return jobs.Earliest(next, a.measureAt)
}

// refreshMappings starts to read the mappings of a process again.
func (a *Agent) refreshMappings(t *target, now time.Time) {
	if t.refreshing {
		return
	}
	at, next := sampler.Now(), t.Mappings.Next()
	started := a.async.Run(t.PID, func() func() {
		err := next.Read()
		return func() {
			t.refreshing = false
			if err != nil {
				return
			}
			if a.targets[t.PID] != t {
				go next.Release()
				return
			}
			changed := t.Mappings.Update(next) || a.sampler.Outdated(t.config)
			if changed {
				t.symbolizer.MappingsChanged()
			}
			t.symbolizer.SetRead(at) // if V8's code was read meanwhile, it is again when a sample needs it
			isolates := t.keyExpected && a.findIsolates(t)
			if published := t.labels.FindPublished(now); changed || isolates || published {
				a.republish(t)
			}
			a.builder.SetProcess(t.PID, t.described())
		}
	})
	if !started {
		a.log.Warn("too many processes start at a time: mappings of one are read later", "pid", t.PID)
		return
	}
	t.refreshed, t.refreshing = now, true
	t.symbolizer.MappingsRead()
}

// readV8 reads where V8 has its code before a sample is named that may be in code newer than the mappings.
func (a *Agent) readV8(t *target, s *sampler.Sample) {
	a.takeV8(t)
	t.symbolizer.SetReplaced(a.sampler.Replaced(t.config))
	if t.symbolizer.AfterMapped(s) {
		t.code.Read(t.Mappings, sampler.Now())
		a.takeV8(t)
	}
}

// takeV8 takes what has been read of that.
func (a *Agent) takeV8(t *target) {
	at, changed, ok := t.code.Take(t.Mappings, t.symbolizer.Mapped())
	if ok {
		t.symbolizer.SetMapped(at)
	}
	if changed {
		t.symbolizer.MappingsChanged()
		a.republish(t)
	}
}

// republish writes changed mappings to the BPF maps, and has probes put on what is mapped now.
func (a *Agent) republish(t *target) {
	if err := a.publish(t); err != nil {
		a.log.Warn("mappings not updated", "pid", t.PID, "why", err)
	}
	a.addProbes(t)
}

// finished reports whether every process that was selected has ended.
func (a *Agent) finished() bool {
	s := &a.config.Select
	if len(a.targets) > 0 || a.async.Pending() > 0 || s.All || s.filters() || a.shells.Any() {
		return false
	}
	return s.Tree == 0 || procs.Ended(s.Tree)
}

// found hears from selfcheck, on a goroutine of that, what cannot be relied on in a process.
func (a *Agent) found(p *process.Process, off verify.Parts) {
	a.async.Post(func() {
		if t := a.targets[p.PID]; t != nil && t.Process == p && t.off != off {
			t.distrust(off)
			a.republish(t)
			a.builder.SetProcess(t.PID, t.described())
		}
	})
}
