package pprof

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// header is what a profile says of all its samples together.
type header struct {
	start, end int64
	measures   []pprofx.Measure // one, or CPUTime and one of hits
	period     int64            // of the first snapshot of measures[0]
	lost       map[pprofx.Measure]map[pprofx.LostReason]int64

	about       map[int][]string // what processes say of themselves, by pid: several where it was that of several
	executables map[string]int64 // samples of each
}

func newHeader() header {
	return header{
		lost: make(map[pprofx.Measure]map[pprofx.LostReason]int64), about: make(map[int][]string),
		executables: make(map[string]int64),
	}
}

// add adds a snapshot.
func (h *header) add(s *pprofx.Snapshot) error {
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
func (h *header) describe(pid int, p pprofx.Process, samples int64) {
	if about := aboutOf(p); !slices.Contains(h.about[pid], about) {
		h.about[pid] = append(h.about[pid], about)
	}
	if p.Executable != "" {
		h.executables[p.Executable] += samples
	}
}

// admit adds the measure of a snapshot, if that may be beside the one that is there: hits beside CPU time.
func (h *header) admit(s *pprofx.Snapshot) error {
	if slices.Contains(h.measures, s.Measure) {
		return nil
	}
	both := append(slices.Clone(h.measures), s.Measure)
	slices.Sort(both) // CPUTime is the first
	if len(both) > 2 || len(both) == 2 && (both[0] != pprofx.CPUTime || !both[1].OfHits()) {
		return pprofx.ErrMixed
	}
	if h.measures = both; s.Measure == both[0] {
		h.period = s.Period
	}
	h.lost[s.Measure] = make(map[pprofx.LostReason]int64)
	return nil
}

// comments returns what was lost and left out, and what processes say of themselves. Of several that had the same pid
// each has a line, also if it says nothing: samples of them cannot be told apart.
func (h *header) comments(out pprofx.LeftOut) []string {
	var lines []string
	for i, measure := range h.measures {
		lost, what := h.lost[measure], "lost"
		if i > 0 {
			what += " " + measure.Samples()
		}
		for _, reason := range (&pprofx.Snapshot{Lost: lost}).LostReasons() {
			lines = append(lines, valid(fmt.Sprintf("%s: %d %s", what, lost[reason], reason)))
		}
	}
	for _, part := range []struct {
		n          int64
		what, name string
	}{
		{out.Stacks, "stack", pprofx.OtherFunction}, {out.IDs, "ids", pprofx.LeftOutLabel},
		{out.Labels, "labels", pprofx.LeftOutLabel},
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
func (h *header) mainExecutable() string {
	executable, most := "", int64(0)
	for _, e := range slices.Sorted(maps.Keys(h.executables)) {
		if h.executables[e] > most {
			executable, most = e, h.executables[e]
		}
	}
	return executable
}
