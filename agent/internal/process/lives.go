package process

import "github.com/hotspan/hotspan/agent/internal/procs"

// Lives are processes by pid, with when each started, as procs.Started says: another process may get the pid.
type Lives map[int]uint64

// Any reports whether one of them has not ended.
func (l Lives) Any() bool {
	for pid := range l {
		if l.Has(pid) {
			return true
		}
	}
	return false
}

// Has reports whether it is the process with this pid now, and has not ended.
func (l Lives) Has(pid int) bool {
	return l[pid] != 0 && l[pid] == procs.Started(pid) && !procs.Ended(pid)
}
