package report

import (
	"cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// Lanes shows by thread when a trace used the CPU, and what its processes did meanwhile. It is not safe for concurrent
// use. Use NewLanes to make one.
type Lanes struct {
	of       FoundTrace
	from, to int64
	withOwn  map[process]bool
	lanes    map[thread]*Lane
	noIDs    int64
}

// process and thread tell those of different machines apart, whose numbers may be the same, and processes that have had
// one pid.
type process struct {
	source, pid int
	service     string
}
type thread struct {
	process
	tid int
}

// Lane is a thread. Samples are in order of time.
type Lane struct {
	Source  int     `json:"source"` // number of the recording
	PID     int     `json:"pid"`
	TID     int     `json:"tid"`
	Main    bool    `json:"main"` // the main thread of its process
	Service string  `json:"service,omitempty"`
	Thread  string  `json:"thread"`
	Period  int64   `json:"period"`
	Samples int64   `json:"samples"` // of the trace
	Other   int64   `json:"other"`   // of anything else, meanwhile
	Bursts  []Burst `json:"bursts"`  // of the trace
	Marks   []Mark  `json:"-"`
}

// Mark is a sample in a lane.
type Mark struct {
	Time  int64 // Unix time in nanoseconds
	Class Class
	Own   bool // of the trace
}

// Burst is consecutive samples of a trace on a thread, with no other work between them that was sampled.
type Burst struct {
	First   int64  `json:"first"` // Unix time in nanoseconds, of samples
	Last    int64  `json:"last"`
	Samples int64  `json:"samples"`
	Classes Counts `json:"classes"`
}

// NewLanes returns Lanes of a trace, for some time around it.
func NewLanes(of FoundTrace) *Lanes {
	around := max((of.Last-of.First)/20, 3*of.Period)
	return &Lanes{of: of, from: of.First - around, to: of.Last + around, withOwn: map[process]bool{},
		lanes: map[thread]*Lane{}}
}

// Interval returns the time that is shown, Unix time in nanoseconds.
func (l *Lanes) Interval() (from, to int64) { return l.from, l.to }

// Add adds a snapshot of a recording, which has a number.
func (l *Lanes) Add(source int, s *pprofx.Snapshot) {
	if s.End < l.from || s.Start > l.to {
		return
	}
	own, noIDs := make([]bool, len(s.LabelSets)), make([]bool, len(s.LabelSets))
	for i, labels := range s.LabelSets {
		own[i] = value(labels, traceLabel) == l.of.ID
		noIDs[i] = value(labels, pprofx.LeftOutLabel) != ""
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Time < l.from || r.Time > l.to {
			continue
		}
		if noIDs[r.Labels] {
			l.noIDs++
		}
		lane := l.lane(source, s, r)
		lane.Marks = append(lane.Marks, Mark{r.Time, classOf(s, r), own[r.Labels]})
		if !own[r.Labels] {
			lane.Other++
			continue
		}
		lane.Samples++
		l.withOwn[process{source, lane.PID, lane.Service}] = true
	}
}

func (l *Lanes) lane(source int, s *pprofx.Snapshot, r *pprofx.Row) *Lane {
	key := thread{process{source, int(r.PID), s.Processes[int(r.PID)].Service}, int(r.TID)}
	lane := l.lanes[key]
	if lane == nil {
		lane = &Lane{Source: source, PID: key.pid, TID: key.tid, Main: r.PID == r.TID, Period: s.Period,
			Service: key.service}
		l.lanes[key] = lane
	}
	lane.Thread = s.Threads[r.Thread] // the last one, if it was renamed
	return lane
}

// Lanes returns the threads of those processes that worked for the trace: by process, main threads first, then threads
// that worked for it.
func (l *Lanes) Lanes() []Lane {
	var out []*Lane
	for key, lane := range l.lanes {
		if l.withOwn[key.process] {
			lane.Bursts = lane.bursts()
			out = append(out, lane)
		}
	}
	return inOrder(out, func(a, b *Lane) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Service, b.Service),
			last(!a.Main, !b.Main), last(a.Samples == 0, b.Samples == 0), cmp.Compare(a.Thread, b.Thread),
			cmp.Compare(a.TID, b.TID))
	})
}

// last puts what is so behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// WithoutIDs returns how many samples of that time have lost their ids, so that some may belong to the trace.
func (l *Lanes) WithoutIDs() int64 { return l.noIDs }

func (l *Lane) bursts() (all []Burst) {
	open := false
	for _, m := range l.Marks {
		if !m.Own {
			open = false
			continue
		}
		if !open || m.Time-all[len(all)-1].Last > l.Period*5/2 {
			all = append(all, Burst{First: m.Time})
			open = true
		}
		at := &all[len(all)-1]
		at.Last = m.Time
		at.Samples++
		at.Classes[m.Class]++
	}
	return all
}
