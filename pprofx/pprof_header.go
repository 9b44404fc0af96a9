package pprofx

import (
	"fmt"
	"maps"
	"slices"
)

// pprofHeader is what a profile says of all its samples together.
type pprofHeader struct {
	start, end int64
	measures   []Measure // one, or CPUTime and one of hits
	period     int64     // of the first snapshot of measures[0]
	lost       map[Measure]map[LostReason]int64

	about       map[int][]string // what processes say of themselves, by pid: several where it was that of several
	executables map[string]int64 // samples of each
}

func newPprofHeader() pprofHeader {
	return pprofHeader{
		lost: make(map[Measure]map[LostReason]int64), about: make(map[int][]string),
		executables: make(map[string]int64),
	}
}

// add adds a snapshot.
func (h *pprofHeader) add(s *Snapshot) error {
	if len(h.measures) == 0 {
		h.start = s.Start
	}
	if err := h.admit(s); err != nil {
		return err
	}
	h.end = s.End
	for reason, n := range s.Lost {
		h.lost[s.Measure][reason] += n
	}
	samples := make(map[int]int64)
	for i := range s.Rows {
		samples[int(s.Rows[i].PID)]++
	}
	for pid, n := range samples {
		h.describe(pid, s.Processes[pid], n)
	}
	return nil
}

// describe adds the samples of a process.
func (h *pprofHeader) describe(pid int, p Process, samples int64) {
	if about := p.about(); !slices.Contains(h.about[pid], about) {
		h.about[pid] = append(h.about[pid], about)
	}
	if p.Executable != "" {
		h.executables[p.Executable] += samples
	}
}

// admit adds the measure of a snapshot, if that may be beside the one that is there: hits beside CPU time.
func (h *pprofHeader) admit(s *Snapshot) error {
	if slices.Contains(h.measures, s.Measure) {
		return nil
	}
	both := append(slices.Clone(h.measures), s.Measure)
	slices.Sort(both) // CPUTime is the first
	if len(both) > 2 || len(both) == 2 && (both[0] != CPUTime || !both[1].OfHits()) {
		return ErrMixed
	}
	if h.measures = both; s.Measure == both[0] {
		h.period = s.Period
	}
	h.lost[s.Measure] = make(map[LostReason]int64)
	return nil
}

// comments returns what was lost and left out, and what processes say of themselves. Of several that had the same pid
// each has a line, also if it says nothing: samples of them cannot be told apart.
func (h *pprofHeader) comments(out LeftOut) []string {
	var lines []string
	for i, measure := range h.measures {
		lost, what := h.lost[measure], "lost"
		if i > 0 {
			what += " " + measure.Samples()
		}
		for _, reason := range (&Snapshot{Lost: lost}).LostReasons() {
			lines = append(lines, valid(fmt.Sprintf("%s: %d %s", what, lost[reason], reason)))
		}
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
	for _, pid := range slices.Sorted(maps.Keys(h.about)) {
		for _, about := range h.about[pid] {
			if about != "" || len(h.about[pid]) > 1 {
				lines = append(lines, valid(fmt.Sprintf("process %d:%s", pid, about)))
			}
		}
	}
	return lines
}

// mainExecutable returns the executable with the most samples, the first by name of two with equal counts, or "" if
// none is known.
func (h *pprofHeader) mainExecutable() string {
	executable, most := "", int64(0)
	for _, e := range slices.Sorted(maps.Keys(h.executables)) {
		if h.executables[e] > most {
			executable, most = e, h.executables[e]
		}
	}
	return executable
}
