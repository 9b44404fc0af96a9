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
	stalls                       *Stalls
}

// NewBuilder returns a Builder. by is a label to group by, besides the others; it may be empty.
func NewBuilder(by string) *Builder {
	return &Builder{
		by: by, out: Report{Lost: map[string]int64{}},
		routes: groups{}, traces: groups{}, threads: groups{}, bys: groups{},
		functions: newFunctions(),
		stalls:    NewStalls(),
	}
}

// ByLine has Functions tell the lines of a function apart. Call it before Add.
func (b *Builder) ByLine() { b.functions.byLine = true }

// Add adds a snapshot. All counts are of CPU time until Report divides them by the period of the first snapshot: a
// sample that was taken at another rate stands for more or less.
func (b *Builder) Add(s *pprofx.Snapshot) {
	if b.out.Period == 0 {
		b.out.Start, b.out.Period = s.Start, s.Period
	}
	b.out.End = max(b.out.End, s.End)
	for reason, n := range s.Lost {
		b.out.Lost[reason.String()] += n
	}
	b.stalls.Add(s)
	stacks := make([][]use, len(s.Stacks))
	for i := range s.Rows {
		r := &s.Rows[i]
		labels := s.LabelSets[r.Labels]
		class := classOf(s, r)
		b.out.Samples += s.Period
		b.out.Classes[class] += s.Period
		route := value(labels, routeLabel)
		b.routes.add(route, "", class, s.Period)
		if trace := value(labels, traceLabel); trace != "" {
			b.traces.add(trace, route, class, s.Period)
		}
		b.threads.add(s.Threads[r.Thread], "", class, s.Period)
		if b.by != "" {
			b.bys.add(value(labels, b.by), b.detail(route), class, s.Period)
		}
		if stacks[r.Stack] == nil {
			stacks[r.Stack] = b.functions.uses(s, s.Stacks[r.Stack])
		}
		count(stacks[r.Stack], class, s.Period)
	}
}

// detail is the route, where groups are parts of a request.
func (b *Builder) detail(route string) string {
	if b.by == "span_id" {
		return route
	}
	return ""
}

// Report returns what was added up, greatest first.
func (b *Builder) Report() *Report {
	out := b.out
	out.Lost = maps.Clone(b.out.Lost)
	out.Routes, out.Traces, out.Threads = b.routes.sorted(), b.traces.sorted(), b.threads.sorted()
	out.By, out.Functions = b.bys.sorted(), b.functions.sorted()
	out.Stalls, out.MoreStalls = b.stalls.Longest()
	out.Loops = b.stalls.Loops()
	out.inSamples()
	return &out
}
