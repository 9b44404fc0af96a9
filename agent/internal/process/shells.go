package process

// Shells are processes that are profiled without V8, by pid: as shells do, they may run other programs, one after the
// other, and a Node.js at last.
type Shells map[int]*Process

// Note adds a process, or forgets it if it has V8 now.
func (s Shells) Note(p *Process) {
	if p.HasV8() {
		delete(s, p.PID)
	} else {
		s[p.PID] = &Process{PID: p.PID, Started: p.Started}
	}
}

// Any reports whether one of them has not ended.
func (s Shells) Any() bool {
	for pid := range s {
		if s.Has(pid) {
			return true
		}
	}
	return false
}

// Has reports whether one of them has this pid, and has not ended.
func (s Shells) Has(pid int) bool {
	p := s[pid]
	return p != nil && !p.Ended()
}
