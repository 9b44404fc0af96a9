package report

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// LeastStall is how long a turn of an event loop lasts, in nanoseconds, that is a stall.
const LeastStall = 50e6

// maxStalls is how many stalls a Builder keeps, the longest ones.
const maxStalls = 10_000

// Stall is a turn of the event loop of a thread that took long: callbacks, one or many, without a wait for events
// between them. Of CPUTime only what runs on a CPU is sampled, so of a turn that waited, such as for a synchronous
// read, the time between its first and its last sample is known. Of WallTime its waits are known, and what others count
// in samples is nanoseconds.
type Stall struct {
	Start    int64     `json:"start"`         // Unix time in nanoseconds, of the first sample, or when its wait began
	Length   int64     `json:"length"`        // in nanoseconds, give or take a period
	Off      int64     `json:"off,omitempty"` // nanoseconds off the CPU, of WallTime
	PID      int       `json:"pid"`
	TID      int       `json:"tid"`
	Thread   string    `json:"thread"`
	Samples  int64     `json:"samples"`
	Requests []Request `json:"requests"` // that it worked for, the greatest first
	Began    Place     `json:"began"`    // own function of the first sample
	Path     []Place   `json:"path"`     // calls that three quarters of the samples have in common, root first
	Calls    []Place   `json:"calls"`    // by the last function of Path, or by the loop; the greatest first
	Own      []Place   `json:"own"`      // own functions, the greatest first
}

// Request is the samples of a request. All names are empty for those of none.
type Request struct {
	Route   string `json:"route"`
	Trace   string `json:"trace,omitempty"`
	By      string `json:"by,omitempty"` // value of the label that was asked for
	Samples int64  `json:"samples"`
}

// Stalls finds the stalls in snapshots that follow each other. It is not safe for concurrent use. Use NewStalls to make
// one.
type Stalls struct {
	least int64 // nanoseconds
	most  int   // that are kept
	by    string
	open  map[loop]*turn
	ended int // loops that are not open any more
	found []*Stall
	less  int64 // that were found and are shorter than those that are kept
}

// loop is an event loop, by the thread that runs it.
type loop struct{ pid, tid int32 }

// turn is a turn of a loop so far. Counts are of samples.
type turn struct {
	number        uint32
	first, last   int64
	before, after int64 // by how much it is longer, on average, than from first to last
	samples, off  int64
	thread        string
	requests      map[Request]int64
	began         Place
	root          call
	own           functions
}

// call is a function and what it called.
type call struct {
	*function
	samples int64
	callees map[place]*call
}

// NewStalls returns Stalls without snapshots. It finds those of at least so many nanoseconds, LeastStall or more.
func NewStalls(least int64) *Stalls {
	return &Stalls{least: max(least, LeastStall), most: maxStalls, open: map[loop]*turn{}}
}

// Add adds a snapshot.
func (all *Stalls) Add(s *pprofx.Snapshot) {
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Turn == 0 { // not known, or of a turn that is short
			continue
		}
		key := loop{r.PID, r.TID}
		t := all.open[key]
		if t == nil || t.number != r.Turn {
			all.end(key, t)
			t = newTurn(s, r)
			all.open[key] = t
		}
		t.add(s, r, all.by)
	}
	if len(all.open) > maxLoops {
		all.endOld(s.End)
	}
}

// Of more than maxLoops loops those end, with their last turns, of which there was no sample for so long: most of their
// threads have ended.
const maxLoops, oldTurn = 1 << 12, 60e9

func (all *Stalls) endOld(now int64) {
	for key, t := range all.open {
		if t.last < now-oldTurn {
			all.end(key, t)
			delete(all.open, key)
			all.ended++
		}
	}
}

// Break ends all turns: snapshots that follow are of another recording.
func (all *Stalls) Break() {
	for key, t := range all.open {
		all.end(key, t)
		all.open[key] = &turn{} // none has number 0
	}
}

func newTurn(s *pprofx.Snapshot, r *pprofx.Row) *turn {
	t := &turn{number: r.Turn, first: r.Time, requests: map[Request]int64{}, own: newFunctions()}
	if classOf(s, r) == Off {
		t.first -= r.Weight
	} else {
		t.before = s.Weight(r) / 2
	}
	return t
}

func (t *turn) add(s *pprofx.Snapshot, r *pprofx.Row, by string) {
	labels := s.LabelSets[r.Labels]
	class, n := classOf(s, r), int64(1)
	t.last, t.after, t.thread = r.Time, s.Weight(r)/2, s.Threads[r.Thread]
	if s.Measure.Timed() {
		n = r.Weight
	}
	if class == Off {
		t.after = 0
		t.off += n
	}
	t.requests[Request{Route: value(labels, routeLabel), Trace: value(labels, traceLabel), By: value(labels, by)}] += n
	stack := s.Stacks[r.Stack]
	var counts Counts
	counts[class] = n
	own, line := t.own.add(s, stack, &counts, nil)
	if t.samples == 0 {
		t.began = Place{Name: own.Name, File: own.File, Line: line, Samples: n}
	}
	t.samples += n
	at := &t.root
	for i := len(stack) - 1; i >= 0; i-- {
		if f := s.Frames[stack[i]]; f.Kind == pprofx.JS {
			at = at.callee(t.own.of(f))
			at.samples += n
		}
	}
}

func (c *call) callee(f *function) *call {
	key := place{name: f.Name, file: f.File}
	next := c.callees[key]
	if next == nil {
		if c.callees == nil {
			c.callees = map[place]*call{}
		}
		next = &call{function: f}
		c.callees[key] = next
	}
	return next
}

// end notes a turn that is over, if it is a stall.
func (all *Stalls) end(key loop, t *turn) {
	if t == nil || t.length() < all.least {
		return
	}
	all.found = append(all.found, t.stall(key))
	if len(all.found) > 2*all.most {
		all.keepLongest()
	}
}

func (all *Stalls) keepLongest() {
	slices.SortStableFunc(all.found, (*Stall).compare)
	n := min(len(all.found), all.most)
	all.less += int64(len(all.found) - n)
	all.found = slices.Delete(all.found, n, len(all.found)) // those are not referred to any more
}

func (a *Stall) compare(b *Stall) int {
	return cmp.Or(cmp.Compare(b.Length, a.Length), cmp.Compare(a.Start, b.Start), cmp.Compare(a.TID, b.TID))
}

// length is the time between the first and the last sample, and half a period on either side that is no wait.
func (t *turn) length() int64 { return t.last - t.first + t.before + t.after }

func (t *turn) stall(key loop) *Stall {
	s := &Stall{
		Start: t.first, Length: t.length(), Off: t.off, PID: int(key.pid), TID: int(key.tid), Thread: t.thread,
		Samples: t.samples, Began: t.began,
	}
	last := &t.root
	for next := last.most(); 4*next.samples >= 3*t.samples && next.samples > 0; next = last.most() {
		s.Path = append(s.Path, next.place())
		last = next
	}
	for _, c := range last.callees {
		s.Calls = append(s.Calls, c.place())
	}
	slices.SortStableFunc(s.Calls, Place.compare)
	for request, n := range t.requests {
		request.Samples = n
		s.Requests = append(s.Requests, request)
	}
	slices.SortStableFunc(s.Requests, func(a, b Request) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Trace, b.Trace),
			cmp.Compare(a.By, b.By))
	})
	for _, f := range t.own.sorted() {
		if f.Own > 0 {
			s.Own = append(s.Own, Place{f.Name, f.File, f.Line, f.Own})
		}
	}
	return s
}

// most returns the callee with most samples, any of equal ones. Without callees it is one without samples.
func (c *call) most() *call {
	out := &call{}
	for _, next := range c.callees {
		if next.samples > out.samples {
			out = next
		}
	}
	return out
}

func (c *call) place() Place { return Place{Name: c.Name, File: c.File, Samples: c.samples} }

// Loops returns how many threads have an event loop whose turns are known. Of thousands one may count twice that had no
// sample for a minute.
func (all *Stalls) Loops() int { return len(all.open) + all.ended }

// Longest returns the stalls, the longest first, with those that last still, and how many shorter ones are left out.
func (all *Stalls) Longest() (out []Stall, less int64) {
	with := &Stalls{least: all.least, most: all.most, found: slices.Clone(all.found), less: all.less}
	for key, t := range all.open {
		with.end(key, t)
	}
	with.keepLongest()
	for _, s := range with.found {
		out = append(out, *s)
	}
	return out, with.less
}
