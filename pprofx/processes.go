package pprofx

import "math"

// processes are those that a Builder was told of.
type processes struct {
	now   map[int]Process
	ended map[int][]endedProcess // those that rows of the open interval may be of, in the order of their ends
}

type endedProcess struct {
	Process
	at int64 // Unix time in nanoseconds
}

func newProcesses() processes {
	return processes{now: make(map[int]Process), ended: make(map[int][]endedProcess)}
}

// end moves the process pid to those that have ended.
func (p *processes) end(pid int, at int64) {
	if process, ok := p.now[pid]; ok {
		delete(p.now, pid)
		p.ended[pid] = append(p.ended[pid], endedProcess{process, at})
	}
}

// of returns the processes of rows. What two of them have had as their pid describes neither.
func (p *processes) of(rows []Row) map[int]Process {
	found, until := make(map[int]Process), make(map[int]int64)
	for i := range rows {
		pid := int(rows[i].PID)
		process, end, ok := p.at(pid, rows[i].Time)
		switch other, seen := until[pid]; {
		case !seen:
			if until[pid] = end; ok {
				found[pid] = process
			}
		case other != end:
			delete(found, pid)
		}
	}
	return found
}

// at returns the process that a pid was of at a time, if it is known, and when that ended.
func (p *processes) at(pid int, time int64) (process Process, end int64, ok bool) {
	if len(p.ended) > 0 {
		for _, e := range p.ended[pid] {
			if time < e.at {
				return e.Process, e.at, true
			}
		}
	}
	process, ok = p.now[pid]
	return process, math.MaxInt64, ok
}

// firstReuse returns the first time before end at which a process has ended that has rows before that, and whose pid
// has rows after it. It returns end if there is none.
func (p *processes) firstReuse(rows []Row, end int64) int64 {
	if len(p.ended) == 0 {
		return end
	}
	type span struct{ first, last int64 }
	spans := make(map[int]span)
	for i := range rows {
		pid, time := int(rows[i].PID), rows[i].Time
		if _, ok := p.ended[pid]; !ok || time >= end {
			continue
		}
		s, ok := spans[pid]
		if !ok {
			s = span{time, time}
		}
		spans[pid] = span{min(s.first, time), max(s.last, time)}
	}
	for pid, s := range spans {
		for _, e := range p.ended[pid] {
			if s.first < e.at && e.at <= s.last {
				end = min(end, e.at)
			}
		}
	}
	return end
}

// forget forgets the processes that have ended by a time from which on all samples are.
func (p *processes) forget(time int64) {
	for pid, ended := range p.ended {
		for len(ended) > 0 && ended[0].at <= time {
			ended = ended[1:]
		}
		if p.ended[pid] = ended; len(ended) == 0 {
			delete(p.ended, pid)
		}
	}
}

// shift moves the ends of processes.
func (p *processes) shift(d int64) {
	for _, ended := range p.ended {
		for i := range ended {
			ended[i].at += d
		}
	}
}
