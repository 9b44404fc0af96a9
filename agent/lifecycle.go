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
	selected, ask := a.config.Select.atOnce(o)
	if l.Type != bpf.RecordExec || !selected && !ask {
		return
	}
	a.attachNew(o, !selected, func(err error) {
		switch {
		case t != nil && err != nil:
			a.log.Warn("process runs another program now, it is not profiled any more", "pid", pid, "why", err)
		case errors.Is(err, ErrNotNode) && !a.starts.Add(pid, time.Now()) && !a.crowded:
			a.crowded = true
			a.log.Warn("too many processes start at a time: some that load V8 late are not profiled", "pid", pid)
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

// retryStarts inspects again the processes that started recently and had no V8 yet.
func (a *Agent) retryStarts(now time.Time) {
	for _, pid := range a.starts.Due(now) {
		a.attachNew(&resource.Origin{PID: pid}, false, func(err error) {
			a.starts.Inspected(pid, errors.Is(err, ErrNotNode))
		})
	}
}
