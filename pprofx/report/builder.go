package report

import (
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// Builder adds snapshots up. It keeps what is distinct: routes, traces, threads, functions and their lines.
type Builder struct {
	by    string
	short bool

	out                          Report
	begun                        bool // there was a snapshot
	covered                      covered
	taken                        int64 // samples, or hits
	routes, traces, threads, bys groups
	processes                    groups // by pid and service: a pid may be that of two, one after the other
	functions                    functions
	stalls                       *Stalls
}

// NewBuilder returns a Builder. by is a label to group by, besides the others; it may be empty.
func NewBuilder(by string) *Builder {
	b := &Builder{
		by: by, out: Report{Lost: map[string]int64{}},
		routes: groups{}, traces: groups{}, threads: groups{}, bys: groups{}, processes: groups{},
		functions: newFunctions(),
		stalls:    NewStalls(LeastStall),
	}
	b.stalls.by = by
	return b
}

// ByLine has Functions tell the lines of a function apart. Call it before Add.
func (b *Builder) ByLine() { b.functions.byLine = true }

// Short has no traces and threads reported, nor kept: a service has a trace for each request, and a process has as many
// names of threads as it likes. Of routes, functions and stalls those with most samples are kept, and few stalls: what
// had few samples when there were too many is reported with those only that came since. Call it before Add.
func (b *Builder) Short() {
	b.short = true
	b.stalls.most = shortStalls
}

// A short report keeps so many of each between two snapshots, and twice as many of functions and routes in one.
const shortFunctions, shortRoutes, shortStalls = 1 << 12, 1 << 10, 100

// Add adds a snapshot. All counts are of time until Report divides them by the period of the first snapshot: a sample
// that was taken at another rate stands for more or less. All snapshots must have one
// Measure.
func (b *Builder) Add(s *pprofx.Snapshot) {
	if !b.begun {
		b.out.Measure, b.out.Period, b.begun = s.Measure, s.Period, true
	}
	if s.Start > 0 { // a profile of another tool need not say it
		b.covered = b.covered.add(s.Start, s.End)
	}
	for reason, n := range s.Lost {
		b.out.Lost[reason.String()] += n
	}
	b.taken += s.Hits()
	if s.Measure.Weighted() || s.Period != b.out.Period || b.out.Weighed > 0 {
		b.out.Weighed = b.taken
	}
	if s.Measure == pprofx.CPUTime || s.Measure == pprofx.WallTime {
		b.stalls.Add(s)
	}
	stacks, sets := make([]Counts, len(s.Stacks)), make([]Counts, len(s.LabelSets))
	threads, processes := make([]Counts, len(s.Threads)), map[int32]*Counts{}
	for i := range s.Rows {
		r := &s.Rows[i]
		class, time := classOf(s, r), s.Weight(r)
		b.out.Samples += time
		b.out.Classes[class] += time
		stacks[r.Stack][class] += time
		sets[r.Labels][class] += time
		threads[r.Thread][class] += time
		if processes[r.PID] == nil {
			processes[r.PID] = new(Counts)
		}
		processes[r.PID][class] += time
	}
	for pid, n := range processes {
		b.addProcess(pid, s.Processes[int(pid)], n)
	}
	b.addStacks(s, stacks)
	b.addLabels(s, sets)
	for i := range threads {
		if threads[i] != (Counts{}) && !b.short {
			b.threads.add(s.Threads[i], "", &threads[i])
		}
	}
	if b.short {
		keepMost(b.functions.by, shortFunctions, (*function).compare)
		for _, all := range []groups{b.routes, b.bys, b.processes} {
			keepMost(all, shortRoutes, (*group).compare)
		}
	}
}

// addProcess adds what the samples of a process stand for. One without a pid, as in profiles of other tools, is none.
func (b *Builder) addProcess(pid int32, p pprofx.Process, n *Counts) {
	if pid == 0 {
		return
	}
	name := strconv.Itoa(int(pid))
	detail := p.Service
	if detail == "" && p.Executable != "" {
		detail = path.Base(p.Executable)
	}
	b.processes.addAs(name+" "+p.Service, name, detail, n)
}

// keepMost drops the least of all, so that there are no more than most, if there are twice as many.
func keepMost[K comparable, V any](all map[K]V, most int, compare func(a, b V) int) {
	if len(all) < 2*most {
		return
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b K) int { return compare(all[a], all[b]) })
	for _, key := range keys[most:] {
		delete(all, key)
	}
}

func (b *Builder) addStacks(s *pprofx.Snapshot, of []Counts) {
	known := make([]*function, len(s.Frames))
	for i := range of {
		if of[i] != (Counts{}) {
			b.functions.add(s, s.Stacks[i], &of[i], known)
		}
	}
}

func (b *Builder) addLabels(s *pprofx.Snapshot, of []Counts) {
	for i := range of {
		if of[i] == (Counts{}) {
			continue
		}
		labels := s.LabelSets[i]
		route := value(labels, routeLabel)
		b.routes.add(route, "", &of[i])
		if route == "" && value(labels, pathLabel) != "" {
			b.out.PathOnly += of[i].sum()
		}
		if trace := value(labels, traceLabel); trace != "" && !b.short {
			b.traces.add(trace, route, &of[i])
		}
		if b.by != "" {
			b.bys.add(value(labels, b.by), b.detail(route), &of[i])
		}
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
	if n := len(b.covered); n > 0 {
		out.Start, out.End, out.Gaps = b.covered[0][0], b.covered[n-1][1], float64(b.covered.gaps())/1e9
	}
	out.Lost = maps.Clone(b.out.Lost)
	out.Routes, out.Traces, out.Threads = b.routes.sorted(), b.traces.sorted(), b.threads.sorted()
	out.By, out.Functions, out.Processes = b.bys.sorted(), b.functions.sorted(), b.processes.sorted()
	out.Stalls, out.MoreStalls = b.stalls.Longest()
	out.Loops = b.stalls.Loops()
	out.inSamples()
	return &out
}
