package agent

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/resource"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// lifecycle handles a process that has exited or has called execve.
func (a *Agent) lifecycle(l bpf.Lifecycle) {
	pid := int(l.Pid)
	t := a.targets[pid]
	if t != nil && l.Type == bpf.RecordExec && int64(l.Time) < t.opened {
		return // hotspan attached after the execve
	}
	if t != nil {
		a.detach(t)
	}
	o := &resource.Origin{PID: pid}
	selected, ask := a.config.Select.atOnce(o)
	if l.Type != bpf.RecordExec || !selected && !ask ||
		selected && t == nil && !a.shells.Has(pid) && a.starts.Postpone(pid, time.Now()) {
		return
	}
	a.attachNew(o, !selected, func(err error) {
		if t == nil && err == nil {
			a.stats.Unsampled += procs.CPUTime(pid)
		}
		without := errors.Is(err, ErrNotNode) || err == nil && !a.targets[pid].HasV8()
		switch {
		case without && a.starts.Add(pid, time.Now(), err == nil):
			a.log.Warn("too many processes start at a time: some that load V8 late are not profiled", "pid", pid)
		case t != nil && err != nil && !errors.Is(err, ErrGone): // else another event tells what has become of it
			a.log.Warn("process runs another program now, it is not profiled any more", "pid", pid, "why", err)
		}
	})
}

// attachNew attaches to a process that has just started, logs why if that fails, and then calls done.
func (a *Agent) attachNew(o *resource.Origin, ask bool, done func(error)) {
	a.attachAsync(o, ask, func(err error) {
		if t := a.targets[o.PID]; err == nil {
			t.refreshAt = jobs.AfterStart(time.Now())
		}
		process.LogRefused(a.log, o.PID, err)
		done(err)
	})
}

// catchUp finds out what no event has told: which processes have ended, run another program, or have started.
func (a *Agent) catchUp() {
	for _, t := range a.targets {
		if t.Ended() || t.Executed() {
			a.detach(t)
		}
	}
	if err := a.list(func(selected []int, _ int64) { a.attachOthers(selected) }); err != nil {
		a.log.Warn("processes that have started are not profiled", "why", err)
	}
}

// list gives do the processes that are selected, and the time at which it has begun to look for them.
func (a *Agent) list(do func(selected []int, at int64)) error {
	s := a.config.Select
	started := a.async.Run(jobs.All, func() func() {
		at := sampler.Now() // what was queued under another selection has been opened before
		pids, err := procs.All()
		pids = procs.Which(pids, func(pid int) bool { return s.includes(&resource.Origin{PID: pid}) })
		return func() {
			if err != nil {
				a.log.Warn("processes cannot be listed", "why", err)
				return
			}
			do(pids, at)
		}
	})
	if !started {
		return errCrowd
	}
	return nil
}

// attachOthers attaches to those of some processes that are not profiled yet.
func (a *Agent) attachOthers(pids []int) {
	for _, pid := range pids {
		if a.targets[pid] == nil {
			a.attachNew(&resource.Origin{PID: pid}, false, func(error) {})
		}
	}
}

// retryStarts inspects again the processes that started recently and had no V8 yet.
func (a *Agent) retryStarts(now time.Time) {
	for _, pid := range a.starts.Due(now) {
		a.attachNew(&resource.Origin{PID: pid}, false,
			func(err error) { a.stats.Unsampled += a.starts.Inspected(pid, err) })
	}
}
