package process

import (
	"time"

	"github.com/hotspan/hotspan/agent/internal/jobs"
)

// maxStarts bounds the processes without V8 that are inspected again.
const maxStarts = 1024

// Starts are processes that started recently and have no V8 yet: it may be in a library that is not mapped yet. The
// zero value has none. It is not safe for concurrent use.
type Starts struct {
	again   map[int]jobs.Schedule
	without WithoutV8
}

// Add adds a process, unless there are too many.
func (s *Starts) Add(pid int, now time.Time) {
	if s.again == nil {
		s.again = map[int]jobs.Schedule{}
	}
	if len(s.again) < maxStarts {
		s.again[pid] = s.retriesOf(pid, now)
	}
}

// retriesOf says when to inspect a process again. Few processes get V8 from a library, so those of an executable that
// had none before are inspected less often.
func (s *Starts) retriesOf(pid int, now time.Time) jobs.Schedule {
	if s.without.Has(pid) {
		return jobs.Schedule{now.Add(50 * time.Millisecond), now.Add(time.Second)}
	}
	return jobs.AfterStart(now)
}

// Due returns the processes that are to be inspected again. Call Inspected for each when that has happened.
func (s *Starts) Due(now time.Time) (pids []int) {
	for pid, schedule := range s.again {
		if schedule.Due(now) {
			s.again[pid] = schedule
			pids = append(pids, pid)
		}
	}
	return pids
}

// Next is when Due returns a process; zero: never.
func (s *Starts) Next() (next time.Time) {
	for _, schedule := range s.again {
		if at := schedule.Next(); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// Inspected notes that a process was inspected again, and whether it still has no V8.
func (s *Starts) Inspected(pid int, none bool) {
	schedule, ok := s.again[pid]
	last := len(schedule) == 0
	if ok && none && last {
		s.without.Add(pid) // it had none long after its start
	}
	if last || !none {
		delete(s.again, pid)
	}
}

// Forget forgets the processes that are not to be kept.
func (s *Starts) Forget(keep func(pid int) bool) {
	for pid := range s.again {
		if !keep(pid) {
			delete(s.again, pid)
		}
	}
}
