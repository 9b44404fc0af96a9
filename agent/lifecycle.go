package agent

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/resource"
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
	if l.Type != bpf.RecordExec || !a.config.Select.includes(o) {
		return
	}
	a.attachNew(o, func(err error) {
		switch {
		case t != nil && err != nil:
			a.log.Warn("process runs another program now, it is not profiled any more", "pid", pid, "why", err)
		case errors.Is(err, ErrNotNode) && len(a.pendingStarts) < maxPendingStarts:
			a.pendingStarts[pid] = a.retriesOf(pid, time.Now()) // V8 may be in a library that is not mapped yet
		}
	})
}

// attachNew attaches to a process that has just started, logs why if that fails, and then calls done.
func (a *Agent) attachNew(o *resource.Origin, done func(error)) {
	pid, r := o.PID, a.reading
	started := a.async.Run(func() func() {
		t, err := a.readProcess(o, r)
		return func() {
			if err == nil && r != a.reading { // the rules have changed meanwhile
				go t.Mappings.Release()
				a.attachNew(o, done)
				return
			}
			if old := a.targets[pid]; old != nil {
				a.detach(old)
			}
			if err == nil {
				err = a.activate(t)
			}
			if err == nil {
				t.refreshAt = jobs.AfterStart(time.Now())
			} else if !process.NothingToProfile(err) {
				a.log.Warn("process is not profiled", "pid", pid, "why", err)
			}
			done(err)
		}
	})
	if !started {
		a.log.Warn("too many processes start at a time: one is not profiled", "pid", pid)
	}
}

// maxPendingStarts bounds the processes without V8 that are inspected again.
const maxPendingStarts = 1024

// retriesOf says when to inspect a process again that has no V8. Few processes get V8 from a library, so those of an
// executable that had none before are inspected less often.
func (a *Agent) retriesOf(pid int, now time.Time) jobs.Schedule {
	if a.withoutV8.Has(pid) {
		return jobs.Schedule{now.Add(50 * time.Millisecond), now.Add(time.Second)}
	}
	return jobs.AfterStart(now)
}

// retryStarts inspects again the processes that started recently and had no V8 yet.
func (a *Agent) retryStarts(now time.Time) {
	for pid, s := range a.pendingStarts {
		if !s.Due(now) {
			continue
		}
		a.pendingStarts[pid] = s
		a.attachNew(&resource.Origin{PID: pid}, func(err error) {
			none := errors.Is(err, ErrNotNode)
			if none && len(s) == 0 {
				a.withoutV8.Add(pid) // it had none long after its start
			}
			if len(s) == 0 || !none {
				delete(a.pendingStarts, pid)
			}
		})
	}
}
