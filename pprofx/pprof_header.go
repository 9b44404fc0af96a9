package pprofx

import (
	"fmt"
	"maps"
	"slices"
)

// pprofHeader is what a profile says of all its samples together.
type pprofHeader struct {
	start, end int64
	period     int64 // of the first snapshot
	measure    Measure
	some       bool // there was a snapshot
	processes  map[int]Process
	samples    map[int]int64 // by pid
	lost       map[LostReason]int64
}

func newPprofHeader() pprofHeader {
	return pprofHeader{
		processes: make(map[int]Process), samples: make(map[int]int64), lost: make(map[LostReason]int64),
	}
}

// add adds a snapshot.
func (h *pprofHeader) add(s *Snapshot) error {
	if !h.some {
		h.start, h.period, h.measure, h.some = s.Start, s.Period, s.Measure, true
	}
	if s.Measure != h.measure {
		return errMixed
	}
	h.end = s.End
	maps.Copy(h.processes, s.Processes)
	for reason, n := range s.Lost {
		h.lost[reason] += n
	}
	return nil
}

// comments returns what was lost and left out, and what processes say of themselves.
func (h *pprofHeader) comments(out LeftOut) []string {
	var lines []string
	lost := maps.Clone(h.lost)
	if out.Samples > 0 {
		lost[LostFull] += out.Samples
	}
	for _, reason := range sortedReasons(lost) {
		lines = append(lines, valid(fmt.Sprintf("lost: %d %s", lost[reason], reason)))
	}
	for _, part := range []struct {
		n          int64
		what, name string
	}{
		{out.Stacks, "stack", OtherFunction}, {out.IDs, "ids", LeftOutLabel}, {out.Labels, "labels", LeftOutLabel},
	} {
		if part.n > 0 {
			lines = append(lines, fmt.Sprintf("%s left out: %d %s", part.what, part.n, part.name))
		}
	}
	for _, pid := range slices.Sorted(maps.Keys(h.processes)) {
		if about := h.processes[pid].about(); about != "" {
			lines = append(lines, valid(fmt.Sprintf("process %d:%s", pid, about)))
		}
	}
	return lines
}

// mainExecutable returns the executable of the process with the most samples, the lower pid of two with equal counts,
// or "" if none is known.
func (h *pprofHeader) mainExecutable() string {
	executable, most := "", int64(0)
	for _, pid := range slices.Sorted(maps.Keys(h.processes)) {
		if h.samples[pid] > most {
			executable, most = h.processes[pid].Executable, h.samples[pid]
		}
	}
	return executable
}
