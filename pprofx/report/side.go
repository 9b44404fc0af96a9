package report

import (
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report/chance"
)

// Slices of time, by which a Side counts: so long at first, and twice as long whenever there are more than so many.
const (
	firstSlice = 250e6 // nanoseconds
	mostSlices = 4096
)

// Side adds up the snapshots of one side of a comparison. It keeps what is distinct, with the CPU time of each slice.
// It is not safe for concurrent use. Use NewSide to make one.
type Side struct {
	by     string
	moved  map[string]string
	total  Total
	slice  int64 // length in nanoseconds
	length int64 // of all snapshots
	end    int64 // of the last one
	whole  *series

	classes, routes, bys, functions rows
}

// Total is what a side of a comparison is made of.
type Total struct {
	Start   int64            `json:"start"`   // Unix time in nanoseconds, of the first snapshot
	Seconds float64          `json:"seconds"` // the length of all snapshots
	Gaps    float64          `json:"gaps"`    // seconds between them, which count as not recorded
	CPU     float64          `json:"cpu"`     // in seconds
	Samples int64            `json:"samples"`
	Lost    map[string]int64 `json:"lost"` // by reason
}

// rows are series by what they are of. File is empty, but for functions.
type rows map[place]*series

// series is the CPU time of something, by slice.
type series struct {
	samples int64
	cpu     float64 // nanoseconds
	squares float64 // of the nanoseconds for which each sample stands
	points  []chance.Point
	having  []chance.Point // of Ages: how many requests have any of it
	last    int32          // of these
}

// NewSide returns a Side. by is a label to group by, besides the others; it may be empty. moved has folders by their
// names in the snapshots: functions in files below one count as in the folder that it stands for.
func NewSide(by string, moved map[string]string) *Side {
	return &Side{
		by: by, moved: moved, slice: firstSlice, whole: &series{}, total: Total{Lost: map[string]int64{}},
		classes: rows{}, routes: rows{}, bys: rows{}, functions: rows{},
	}
}

// Add adds a snapshot that follows those before it in time. Its length counts even if it has no samples.
func (s *Side) Add(p *pprofx.Snapshot) {
	if s.length == 0 {
		s.total.Start, s.end = p.Start, p.Start
	}
	s.total.Gaps += float64(max(0, p.Start-s.end)) / 1e9
	s.end = p.End
	for reason, n := range p.Lost {
		s.total.Lost[reason.String()] += n
	}
	before := s.length
	s.length += p.End - p.Start
	for s.length > mostSlices*s.slice {
		s.halve()
	}
	functions := make([]place, len(p.Stacks))
	for i, stack := range p.Stacks {
		f := noStack
		if len(stack) > 0 {
			f = p.Frames[stack[ownIndex(p, stack)]]
		}
		functions[i] = placeOf(f)
		functions[i].file = movedFile(functions[i].file, s.moved)
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		labels := p.LabelSets[r.Labels]
		at := int32((before + min(max(r.Time, p.Start), p.End-1) - p.Start) / s.slice)
		s.whole.add(at, p.Period)
		s.classes.add(place{name: classOf(p, r).String()}, at, p.Period)
		s.routes.add(place{name: value(labels, routeLabel)}, at, p.Period)
		s.functions.add(functions[r.Stack], at, p.Period)
		if s.by != "" {
			s.bys.add(place{name: value(labels, s.by)}, at, p.Period)
		}
	}
}

func (all rows) add(key place, at int32, period int64) {
	of := all[key]
	if of == nil {
		of = &series{}
		all[key] = of
	}
	of.add(at, period)
}

func (s *series) add(at int32, period int64) {
	ns := float64(period)
	s.samples++
	s.cpu += ns
	s.squares += ns * ns
	if last := len(s.points) - 1; last >= 0 && s.points[last].Slice == at {
		s.points[last].Amount += ns
		return
	}
	s.points = append(s.points, chance.Point{Slice: at, Amount: ns})
}

// halve has half as many slices, each twice as long.
func (s *Side) halve() {
	s.slice *= 2
	s.whole.halve()
	for _, all := range []rows{s.classes, s.routes, s.bys, s.functions} {
		for _, of := range all {
			of.halve()
		}
	}
}

func (s *series) halve() {
	kept := s.points[:0]
	for _, p := range s.points {
		p.Slice /= 2
		if last := len(kept) - 1; last >= 0 && kept[last].Slice == p.Slice {
			kept[last].Amount += p.Amount
			continue
		}
		kept = append(kept, p)
	}
	s.points = kept
}

// Total returns what was added up.
func (s *Side) Total() Total {
	t := s.total
	t.Seconds, t.CPU, t.Samples = float64(s.length)/1e9, s.whole.cpu/1e9, s.whole.samples
	return t
}

// seconds returns the length of each slice.
func (s *Side) seconds() chance.Exposure {
	out := make(chance.Exposure, (s.length+s.slice-1)/s.slice)
	for i := range out {
		out[i] = float64(min(s.slice, s.length-int64(i)*s.slice)) / 1e9
	}
	return out
}
