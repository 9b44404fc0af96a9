package process

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// maxStarts bounds the processes without V8 that are inspected again. Those of a user are half, at most, of what those
// of others leave.
const maxStarts, userStarts = 1024, 1.0 / 2

// Starts are processes that started recently and have no V8 yet: it may be in a library that is not mapped yet. It is
// not safe for concurrent use.
type Starts struct {
	again   map[int]*start // by pid
	shares  *share.Shares[procs.User]
	without WithoutV8
	crowded bool // there was no room for some process
}

type start struct {
	schedule jobs.Schedule
	user     procs.User
	sampled  bool
}

// NewStarts makes Starts that have no processes.
func NewStarts() *Starts {
	return &Starts{again: map[int]*start{}, shares: share.New[procs.User](maxStarts, userStarts)}
}

// Add adds a process that was inspected, and is sampled without V8 or not. It returns true if there are too many, the
// first time.
func (s *Starts) Add(pid int, now time.Time, sampled bool) (crowded bool) {
	s.without.Add(pid, 1)
	crowded = !s.add(pid, start{schedule: jobs.AfterStart(now), sampled: sampled}) && !s.crowded
	s.crowded = s.crowded || crowded
	return crowded
}

// Postpone adds a process that runs another executable now, if processes that ran it before had no V8, and reports
// whether it has. Most programs are such, end soon, and take less time than to inspect them.
func (s *Starts) Postpone(pid int, now time.Time) bool {
	s.remove(pid)
	schedule := jobs.Schedule{now.Add(50 * time.Millisecond), now.Add(time.Second)}
	return s.without.Has(pid) && s.add(pid, start{schedule: schedule})
}

func (s *Starts) add(pid int, of start) bool {
	of.user = procs.UserOf(pid)
	s.remove(pid)
	if !s.shares.Take(of.user, 1) {
		return false
	}
	s.again[pid] = &of
	return true
}

func (s *Starts) remove(pid int) {
	if known := s.again[pid]; known != nil {
		s.shares.Give(known.user, 1)
		delete(s.again, pid)
	}
}

// Due returns the processes that are to be inspected again. Call Inspected for each when that has happened.
func (s *Starts) Due(now time.Time) (pids []int) {
	for pid, of := range s.again {
		switch {
		case !of.schedule.Due(now):
		case procs.Ended(pid):
			s.remove(pid)
		default:
			pids = append(pids, pid)
		}
	}
	return pids
}

// Next is when Due returns a process; zero: never.
func (s *Starts) Next() (next time.Time) {
	for _, of := range s.again {
		next = jobs.Earliest(next, of.schedule.Next())
	}
	return next
}

// Inspected notes that a process was inspected again, and with what error: ErrNotNode if it still has no V8. Of one
// that is sampled from now on it returns how much CPU time it had used before.
func (s *Starts) Inspected(pid int, err error) (unsampled time.Duration) {
	of := s.again[pid]
	if of == nil {
		return 0
	}
	if err == nil && !of.sampled {
		unsampled = procs.CPUTime(pid)
	}
	none, last := errors.Is(err, ErrNotNode), len(of.schedule) == 0
	switch {
	case none && last:
		s.without.Add(pid, enough) // it had none long after its start
	case err == nil:
		s.without.Never(pid)
	}
	if last || !none {
		s.remove(pid)
	}
	return unsampled
}

// Forget forgets the processes that are not to be kept.
func (s *Starts) Forget(keep func(pid int) bool) {
	for pid := range s.again {
		if !keep(pid) {
			s.remove(pid)
		}
	}
}
