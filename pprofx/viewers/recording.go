package viewers

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// limits bound what a recording keeps.
type limits struct{ places, stacks, requests, samples int }

var fullLimits = limits{pprofx.MaxFrames, pprofx.MaxStacks, pprofx.MaxLabelSets, pprofx.MaxRows}

// recording is the samples of consecutive snapshots by thread: 12 to 16 bytes for each, and what is distinct.
type recording struct {
	*stacks
	*requests
	max  limits
	show view

	some       bool  // there is a snapshot
	start, end int64 // Unix time in nanoseconds
	period     int64
	threads    map[threadID]*thread
	lost       map[pprofx.LostReason]int64
	kept       int
	full       int64 // samples over the limit
}

// view is what a format shows beyond times and stacks.
type view struct {
	code     bool // see place
	states   map[pprofx.State]int32
	requests bool
}

// top is the place on top of the stacks of samples in a state, absent if there is none.
func (v *view) top(s pprofx.State) int32 {
	if place, ok := v.states[s]; ok {
		return place
	}
	return absent
}

// process is one of those that have had a pid: two are one only if all is equal that the formats show of them.
type process struct {
	pid     int32
	service string // empty: not known
}

type threadID struct {
	process
	tid int32
}

type thread struct {
	threadID
	name   string  // the last one that is not empty
	times  []int64 // nanoseconds since the start of the recording
	stacks []int32
	// Indices into the requests of the recording, where the format shows them.
	requests []int32
	other    int64 // samples whose stack is [other]
}

func newRecording(max limits, show view) *recording {
	return &recording{
		stacks: newStacks(max.places, max.stacks, show.code), requests: newRequests(max.requests), max: max, show: show,
		threads: map[threadID]*thread{}, lost: map[pprofx.LostReason]int64{},
	}
}

// Add adds a snapshot. Its error is that of a snapshot that fails Check, or has another period than those before.
func (r *recording) Add(s *pprofx.Snapshot) error {
	switch err := s.CheckTimed(); {
	case err != nil:
		return err
	case r.some && s.Period != r.period:
		return fmt.Errorf("snapshot: period %d after one of %d: choose a time with one rate", s.Period, r.period)
	case !r.some:
		r.some, r.start, r.period = true, s.Start, s.Period
	}
	r.end = s.End
	for reason, n := range s.Lost {
		r.lost[reason] += n
	}
	r.addRows(s)
	return nil
}

func (r *recording) addRows(s *pprofx.Snapshot) {
	places := make([]int32, len(s.Frames))
	for i, f := range s.Frames {
		places[i] = r.place(placeOf(f, r.show.code))
	}
	type topped struct{ stack, top int32 }
	numbers := map[topped]int32{}
	requests, left := r.numbers(s.LabelSets)
	for i := range s.Rows {
		row := &s.Rows[i]
		if r.kept >= r.max.samples {
			r.full++
			continue
		}
		key := topped{row.Stack, r.show.top(row.State)}
		stack, ok := numbers[key]
		if !ok {
			stack = r.stack(s.Stacks[row.Stack], places, key.top)
			numbers[key] = stack
		}
		t := r.thread(s, row)
		t.add(row.Time-r.start, stack)
		if r.show.requests {
			t.requests = append(t.requests, requests[row.Labels])
			r.left.Add(left[row.Labels])
		}
		r.kept++
	}
}

func (r *recording) thread(s *pprofx.Snapshot, row *pprofx.Row) *thread {
	id := threadID{process{row.PID, s.Processes[int(row.PID)].Service}, row.TID}
	t, ok := r.threads[id]
	if !ok {
		t = &thread{threadID: id}
		r.threads[id] = t
	}
	if name := s.Threads[row.Thread]; name != "" {
		t.name = name
	}
	return t
}

func (t *thread) add(at int64, stack int32) {
	t.times = append(t.times, at)
	t.stacks = append(t.stacks, stack)
	if stack < fixedStacks {
		t.other++
	}
}

// busiest lists the threads, those with most samples first.
func (r *recording) busiest() []*thread {
	return slices.SortedFunc(maps.Values(r.threads), func(a, b *thread) int {
		return cmp.Or(len(b.times)-len(a.times), cmp.Compare(a.pid, b.pid), cmp.Compare(a.tid, b.tid),
			cmp.Compare(a.service, b.service))
	})
}

// span is a stretch of time of a thread: that of a sample, or of a gap between samples, whose stack is absent.
type span struct {
	at, length int64 // nanoseconds, at since the start of the recording
	stack      int32
}

// spans lists the stretches of a thread from the start of the recording to its end, or to that of the last sample. Each
// sample has exactly one period, so that a stack has as much time as it has CPU time. To make that possible, a sample
// may begin up to half a period before its time: a thread that runs all the time would else have gaps of microseconds
// between its samples. It begins later where samples come faster than one in a period, as when a thread changes CPUs.
func (r *recording) spans(t *thread) iter.Seq[span] {
	return func(yield func(span) bool) {
		at := int64(0)
		for i, time := range t.times {
			if time-at > r.period/2 {
				if !yield(span{at, time - at, absent}) {
					return
				}
				at = time
			}
			if !yield(span{at, r.period, t.stacks[i]}) {
				return
			}
			at += r.period
		}
		if rest := r.end - r.start - at; rest > 0 {
			yield(span{at, rest, absent})
		}
	}
}

// losses lists what was lost, such as "12 ring buffer full", and what is over the limit of the file as LostFull.
func (r *recording) losses() []string {
	lost := maps.Clone(r.lost)
	lost[pprofx.LostFull] += r.full
	var texts []string
	for reason, n := range lost {
		if n > 0 {
			texts = append(texts, fmt.Sprintf("%d %v", n, reason))
		}
	}
	slices.Sort(texts)
	return texts
}
