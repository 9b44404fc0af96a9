package pprofx

import "slices"

// Where returns a snapshot of the rows that keep accepts, with the interval and the losses of s.
func (s *Snapshot) Where(keep func(*Row) bool) *Snapshot {
	var rows []Row
	for i := range s.Rows {
		if keep(&s.Rows[i]) {
			rows = append(rows, s.Rows[i])
		}
	}
	return s.with(rows, s.LabelSets)
}

// Halves returns the earlier and the later half of the rows. Both have the interval of s, the first has its losses.
func (s *Snapshot) Halves() (a, b *Snapshot) {
	half := (len(s.Rows) + 1) / 2
	a, b = s.with(slices.Clone(s.Rows[:half]), s.LabelSets), s.with(slices.Clone(s.Rows[half:]), s.LabelSets)
	b.Lost = nil
	return a, b
}

// KeepLabels returns a snapshot of all rows, with the labels that keep accepts.
func (s *Snapshot) KeepLabels(keep func(*Label) bool) *Snapshot {
	sets := make([][]Label, len(s.LabelSets))
	byLabels := map[string]int32{}
	number := make([]int32, len(sets)) // of the first set that has the same labels left
	for i, set := range s.LabelSets {
		var key []byte
		for j := range set {
			if keep(&set[j]) {
				sets[i] = append(sets[i], set[j])
				key = appendLabel(key, &set[j])
			}
		}
		if _, ok := byLabels[string(key)]; !ok {
			byLabels[string(key)] = int32(i)
		}
		number[i] = byLabels[string(key)]
	}
	rows := slices.Clone(s.Rows)
	for i := range rows {
		rows[i].Labels = number[rows[i].Labels]
	}
	return s.with(rows, sets)
}

// with returns a snapshot of rows whose indices are those of s, but for the label sets.
func (s *Snapshot) with(rows []Row, sets [][]Label) *Snapshot {
	out := &Snapshot{
		Start: s.Start, End: s.End, Measure: s.Measure, Period: s.Period, Untimed: s.Untimed,
		Lost: s.Lost, Processes: map[int]Process{},
	}
	from := &Tables{frames: s.Frames, stacks: s.Stacks, labels: sets, threads: s.Threads}
	newCompaction(from, out).add(rows)
	for i := range rows {
		pid := int(rows[i].PID)
		if p, ok := s.Processes[pid]; ok {
			out.Processes[pid] = p
		}
	}
	return out
}
