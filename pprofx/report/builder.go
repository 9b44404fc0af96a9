package report

import (
	"maps"

	"github.com/hotspan/hotspan/pprofx"
)

// Builder adds snapshots up. It keeps what is distinct: routes, traces, threads, functions and their lines.
type Builder struct {
	by string

	out                          Report
	routes, traces, threads, bys groups
	functions                    functions
}

// NewBuilder returns a Builder. by is a label to group by, besides the others; it may be empty.
func NewBuilder(by string) *Builder {
	return &Builder{
		by: by, out: Report{Lost: map[string]int64{}},
		routes: groups{}, traces: groups{}, threads: groups{}, bys: groups{}, functions: functions{},
	}
}

// Add adds a snapshot. All must have the same period.
func (b *Builder) Add(s *pprofx.Snapshot) {
	if b.out.Start == 0 {
		b.out.Start, b.out.Period = s.Start, s.Period
	}
	b.out.End = max(b.out.End, s.End)
	for reason, n := range s.Lost {
		b.out.Lost[reason.String()] += n
	}
	stacks := make([][]use, len(s.Stacks))
	for i := range s.Rows {
		r := &s.Rows[i]
		labels := s.LabelSets[r.Labels]
		class := classOf(s, r)
		b.out.Samples++
		b.out.Classes[class]++
		route := value(labels, "http.route")
		b.routes.add(route, "", class)
		if trace := value(labels, "trace_id"); trace != "" {
			b.traces.add(trace, route, class)
		}
		b.threads.add(s.Threads[r.Thread], "", class)
		if b.by != "" {
			b.bys.add(value(labels, b.by), "", class)
		}
		if stacks[r.Stack] == nil {
			stacks[r.Stack] = b.functions.uses(s, s.Stacks[r.Stack])
		}
		count(stacks[r.Stack], class)
	}
}

// Report returns what was added up, greatest first.
func (b *Builder) Report() *Report {
	out := b.out
	out.Lost = maps.Clone(b.out.Lost)
	out.Routes, out.Traces, out.Threads = b.routes.sorted(), b.traces.sorted(), b.threads.sorted()
	out.By, out.Functions = b.bys.sorted(), b.functions.sorted()
	return &out
}
