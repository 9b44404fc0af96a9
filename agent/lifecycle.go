package agent

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
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

// maxWithoutV8 bounds the executables that are known to run without V8.
const maxWithoutV8 = 1 << 12

// retriesOf says when to inspect a process again that has no V8. Few processes get V8 from a library, so those of an
// executable that had none before are inspected less often.
func (a *Agent) retriesOf(pid int, now time.Time) jobs.Schedule {
	if id, err := procs.ExecutableID(pid); err == nil && a.withoutV8[id] {
		return jobs.Schedule{now.Add(50 * time.Millisecond), now.Add(time.Second)}
	}
	return jobs.AfterStart(now)
}

// keepWithoutV8 notes that a process had no V8 long after its start.
func (a *Agent) keepWithoutV8(pid int) {
	id, err := procs.ExecutableID(pid)
	if err != nil {
		return
	}
	if a.withoutV8 == nil || len(a.withoutV8) >= maxWithoutV8 {
		a.withoutV8 = map[procs.FileID]bool{}
	}
	a.withoutV8[id] = true
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
				a.keepWithoutV8(pid)
			}
			if len(s) == 0 || !none {
				delete(a.pendingStarts, pid)
			}
		})
	}
}
