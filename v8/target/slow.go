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

// Times that hotspan waits for memory within a minute: for that of a user's processes, and of all processes.
const (
	userTimeout = 3 * time.Second
	allTimeout  = 12 * time.Second
)

// slowProcesses are those whose memory did not come in time. It is safe for concurrent use.
type slowProcesses struct {
	some   atomic.Bool // there is one
	mu     sync.Mutex
	until  map[int]int64   // by thread group: when it may be read again, as now gives it
	groups map[int]inGroup // by thread, as far as they were asked for lately
	waits  map[int]*waits  // by user, of the last minute
}

// everybody is in the place of a user for the waits of all.
const everybody = -1

// waits are those for the memory of a user's processes within a minute.
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

// waited adds to what was waited within a minute for the memory of the processes of a process's user, and for that of
// all processes, and reports whether that is too long.
func (s *slowProcesses) waited(pid int, some time.Duration) (tooLong bool) {
	user := statusNumber(pid, "Uid", everybody)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now()
	for of, most := range map[int]time.Duration{user: userTimeout, everybody: allTimeout} {
		w := s.waits[of]
		if w == nil || w.until < at {
			maps.DeleteFunc(s.waits, func(_ int, w *waits) bool { return w.until < at })
			w = &waits{until: at + int64(time.Minute)}
			s.waits[of] = w
		}
		w.sum += some
		tooLong = tooLong || w.sum >= most
	}
	return tooLong
}

// groupOf returns the process that a thread belongs to, or the thread's own id if it has ended.
func groupOf(tid int) int { return statusNumber(tid, "Tgid", tid) }

// statusNumber returns the first number behind a key of a /proc/TID/status, or another one if there is none.
func statusNumber(tid int, key string, none int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	_, after, _ := bytes.Cut(text, []byte("\n"+key+":"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	if words := bytes.Fields(line); len(words) > 0 {
		if n, err := strconv.Atoi(string(words[0])); err == nil {
			return n
		}
	}
	return none
}
