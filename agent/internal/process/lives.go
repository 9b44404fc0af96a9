package process

import "github.com/hotspan/hotspan/agent/internal/procs"

// Lives are processes without V8 by pid, with when each started, as procs.Started says: another process may get the
// pid. They may run other programs, one after the other, and a Node.js at last.
type Lives map[int]uint64

// Note adds a process, or forgets it if it has V8 now.
func (l Lives) Note(p *Process) {
	if p.HasV8() {
		delete(l, p.PID)
	} else {
		l[p.PID] = p.Started
	}
}

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
