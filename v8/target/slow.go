package target

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// pause is how long nothing is read of a process after a read that was late has ended.
const pause = time.Minute

// slowProcesses are those whose memory did not come in time. It is safe for concurrent use.
type slowProcesses struct {
	some   atomic.Bool // there is one
	mu     sync.Mutex
	until  map[int]int64   // by thread group: when it may be read again, as now gives it
	groups map[int]inGroup // by thread, as far as they were asked for lately
	waits  map[int]*waits  // by thread group, of the last minute
}

// waits are those for the memory of a process within a minute.
type waits struct {
	sum   time.Duration
	until int64
}

// inGroup is the group of a thread, which holds for a pause at most: ids are used again.
type inGroup struct {
	group int
	until int64
}

var slow = slowProcesses{until: map[int]int64{}, groups: map[int]inGroup{}, waits: map[int]*waits{}}

var started = time.Now()

func now() int64 { return int64(time.Since(started)) }

// has reports whether a process is not to be read now, by the id of one of its threads.
func (s *slowProcesses) has(pid int) bool {
	if !s.some.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now()
	for group, until := range s.until {
		if until < at {
			delete(s.until, group)
		}
	}
	if len(s.until) == 0 {
		clear(s.groups)
		s.some.Store(false)
		return false
	}
	g, ok := s.groups[pid]
	if !ok || g.until < at {
		const most = 1 << 16 // threads
		if len(s.groups) >= most {
			clear(s.groups)
		}
		g = inGroup{groupOf(pid), at + int64(pause)}
		s.groups[pid] = g
	}
	_, ok = s.until[g.group]
	return ok
}

// add notes that a read of a process is late. The function that it returns says that it has ended.
func (s *slowProcesses) add(pid int) (ended func()) {
	group := groupOf(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until[group] = math.MaxInt64
	s.some.Store(true)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.until[group] = now() + int64(pause)
	}
}

// waited adds to what was waited for the memory of a process within a minute, and returns the sum.
func (s *slowProcesses) waited(pid int, some time.Duration) time.Duration {
	group := groupOf(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now()
	w := s.waits[group]
	if w == nil || w.until < at {
		maps.DeleteFunc(s.waits, func(_ int, w *waits) bool { return w.until < at })
		w = &waits{until: at + int64(time.Minute)}
		s.waits[group] = w
	}
	w.sum += some
	return w.sum
}

// groupOf returns the process that a thread belongs to, or the thread's own id if it has ended.
func groupOf(tid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if _, after, ok := bytes.Cut(text, []byte("\nTgid:")); ok {
		value, _, _ := bytes.Cut(after, []byte("\n"))
		if group, err := strconv.Atoi(string(bytes.TrimSpace(value))); err == nil {
			return group
		}
	}
	return tid
}
