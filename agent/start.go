package agent

import (
	"errors"
	"io/fs"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// schedule is when to look at a process again that has just started: libraries are mapped one after the other.
type schedule []time.Time

func afterStart(now time.Time) schedule {
	var s schedule
	for _, after := range []time.Duration{1, 5, 10, 20, 50, 150, 400, 1000, 3000} {
		s = append(s, now.Add(after*time.Millisecond))
	}
	return s
}

// due reports whether a time has come, and takes it off.
func (s *schedule) due(now time.Time) bool {
	if len(*s) == 0 || now.Before((*s)[0]) {
		return false
	}
	*s = (*s)[1:]
	return true
}

// slowStart is how long it may take until a sample of a process is named without a word of it.
const slowStart = 300 * time.Millisecond

// meet says what it took until the first sample of a process was named, if that was long.
func (a *Agent) meet(t *target) {
	if t.met || !t.flags.js || t.flags.unnamed {
		return
	}
	t.met = true
	reading, waiting := time.Duration(t.prepared-t.since), time.Duration(monotonic()-t.prepared)
	if reading+waiting < slowStart {
		return
	}
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	a.log.Info("first named sample", "pid", t.pid, "after", round(reading+waiting), "reading its files", round(reading),
		"waiting for a sample", round(waiting))
}

// maxYoung bounds the processes without V8 that are looked at again.
const maxYoung = 1024

// lifecycle handles a process that ended, or that runs another program now.
func (a *Agent) lifecycle(l bpf.Lifecycle) {
	pid := int(l.Pid)
	t := a.targets[pid]
	if t != nil && l.Type == bpf.RecordExec && int64(l.Time) < t.since {
		return // it was attached to when it ran the new program already
	}
	if t != nil {
		a.detach(t)
	}
	if l.Type != bpf.RecordExec || (t == nil && !(a.config.Select.open() && a.config.Select.matches(pid))) {
		return
	}
	a.attachNew(pid, func(err error) {
		switch {
		case t != nil && err != nil:
			a.log.Warn("process runs another program now, it is not profiled any more", "pid", pid, "why", err)
		case errors.Is(err, ErrNotNode) && len(a.young) < maxYoung:
			a.young[pid] = afterStart(time.Now()) // V8 may be in a library that comes
		}
	})
}

// attachNew attaches to a process that has just started, says why not if it should have, and then calls done.
func (a *Agent) attachNew(pid int, done func(error)) {
	a.later(func() func() {
		t, err := a.prepare(pid)
		return func() {
			if old := a.targets[pid]; old != nil {
				a.detach(old)
			}
			if err == nil {
				err = a.adopt(t)
			}
			if err == nil {
				t.refresh = afterStart(time.Now())
			} else if !isNoTarget(err) {
				a.log.Warn("process is not profiled", "pid", pid, "why", err)
			}
			done(err)
		}
	})
}

// lookAgain looks whether processes that have started lately have V8 by now.
func (a *Agent) lookAgain(now time.Time) {
	for pid, s := range a.young {
		if !s.due(now) {
			continue
		}
		a.young[pid] = s
		a.attachNew(pid, func(err error) {
			if len(s) == 0 || !errors.Is(err, ErrNotNode) {
				delete(a.young, pid)
			}
		})
	}
}

// isNoTarget reports whether an error of attach only says that there is nothing to profile.
func isNoTarget(err error) bool {
	return errors.Is(err, ErrNotNode) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrGone)
}
