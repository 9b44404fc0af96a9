package tables

import (
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Reports adds snapshots up, those of each measure by themselves.
type Reports struct {
	by    string // a label; may be empty
	short bool
	of    map[pprofx.Measure]*report.Builder
}

// NewReports returns one that also groups samples by a label; empty: by none.
func NewReports(by string) *Reports {
	return &Reports{by: by, of: map[pprofx.Measure]*report.Builder{}}
}

// Short has the reports keep no traces and threads, as report.Builder's Short. Call it before Add.
func (r *Reports) Short() { r.short = true }

// Add adds a snapshot.
func (r *Reports) Add(s *pprofx.Snapshot) {
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

// All returns a report of each measure that there is, CPU time first; one that is empty if there is no snapshot.
func (r *Reports) All() (out []*report.Report) {
	for _, measure := range slices.Sorted(maps.Keys(r.of)) {
		out = append(out, r.of[measure].Report())
	}
	if len(out) == 0 {
		out = append(out, report.NewBuilder(r.by).Report())
	}
	return out
}
