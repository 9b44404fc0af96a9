package cli

import (
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// reports adds snapshots up, those of each measure by themselves.
type reports struct {
	by    string // a label; may be empty
	short bool   // report.Builder's Short
	of    map[pprofx.Measure]*report.Builder
}

func newReports(by string, short bool) *reports {
	return &reports{by, short, map[pprofx.Measure]*report.Builder{}}
}

func (r *reports) add(s *pprofx.Snapshot) {
	b := r.of[s.Measure]
	if b == nil {
		b = report.NewBuilder(r.by)
		if r.short {
			b.Short()
		}
		r.of[s.Measure] = b
	}
	b.Add(s)
}

// all returns a report of each measure that there is, CPU time first; one that is empty if there is no snapshot.
func (r *reports) all() (out []*report.Report) {
	for _, measure := range slices.Sorted(maps.Keys(r.of)) {
		out = append(out, r.of[measure].Report())
	}
	if len(out) == 0 {
		out = append(out, report.NewBuilder(r.by).Report())
	}
	return out
}
