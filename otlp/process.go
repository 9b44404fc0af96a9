package otlp

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// process is the rows of one profile, as indices into Snapshot.Rows: all of a process, or those with one value of a
// label, which is of then.
type process struct {
	pid  int32
	rows []int32
	of   attr
}

// processes returns the profiles of a snapshot: those of a process follow each other. per is the label by which they
// are told apart; empty for none.
func processes(s *pprofx.Snapshot, per string) []process {
	all := byProcess(s)
	if per == "" {
		return all
	}
	values := make([]string, len(s.Rows))
	for _, g := range s.GroupBy(per) {
		for _, i := range g.Rows {
			values[i] = g.Value
		}
	}
	var out []process
	for _, p := range all {
		out = append(out, p.split(per, values)...)
	}
	return out
}

func byProcess(s *pprofx.Snapshot) []process {
	rows := map[int32][]int32{}
	for i := range s.Rows {
		pid := s.Rows[i].PID
		rows[pid] = append(rows[pid], int32(i))
	}
	var all []process
	for pid, r := range rows {
		all = append(all, process{pid: pid, rows: r})
	}
	slices.SortStableFunc(all, func(a, b process) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.pid, b.pid))
	})
	return all
}

// split returns a process by the values of its rows, those with most rows first.
func (p process) split(label string, values []string) []process {
	rows := map[string][]int32{}
	for _, i := range p.rows {
		rows[values[i]] = append(rows[values[i]], i)
	}
	var all []process
	for value, r := range rows {
		one := process{pid: p.pid, rows: r}
		if value != "" {
			one.of = attr{key: attributeKey(label), str: value}
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b process) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.of.str, b.of.str))
	})
	return all
}
