package page

import (
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

type writer struct {
	to  io.Writer
	max limits

	texts   *texts
	stacks  *stacks
	labels  *labels
	threads *threads

	period    int64
	rows      []row
	intervals []interval
	losses    []loss
	left      pprofx.LeftOut
	stalls    *report.Stalls
	parts     []part // of a Comparison
	by        string
	source    SourceReader // nil if source lines are not shown
	embedded  *Embedded
}

// row is one sample.
type row struct {
	at                    int64 // Unix time in nanoseconds
	stack, labels, thread int32
	age                   int32 // of the request, as ageOf has it
	state                 pprofx.State
	stop                  pprofx.StopReason
}

// interval is a time that was recorded.
type interval struct{ start, end int64 } // Unix time in nanoseconds

// loss is what was lost in an interval.
type loss struct {
	interval
	lost map[pprofx.LostReason]int64
}

func newWriter(to io.Writer, max limits) *writer {
	t := newTexts()
	return &writer{
		to: to, max: max, texts: t, stacks: newStacks(t, max), labels: newLabels(t, max.sets), threads: newThreads(t),
		stalls: report.NewStalls(report.LeastStall),
	}
}

// Add adds a snapshot. Its error is that of a snapshot that fails Check, or has another period than those before.
func (w *writer) Add(s *pprofx.Snapshot) error {
	switch err := s.CheckTimed(); {
	case err != nil:
		return err
	case w.intervals != nil && s.Period != w.period:
		return fmt.Errorf("snapshot: period %d after one of %d: choose a time with one rate", s.Period, w.period)
	}
	w.period = s.Period
	w.intervals = append(w.intervals, interval{s.Start, s.End})
	if slices.Max(append(values(s.Lost), 0)) > 0 {
		w.losses = append(w.losses, loss{interval{s.Start, s.End}, s.Lost})
	}
	w.stalls.Add(s)
	w.addRows(s)
	return nil
}

func values(lost map[pprofx.LostReason]int64) (list []int64) {
	for _, n := range lost {
		list = append(list, n)
	}
	return list
}

func (w *writer) addRows(s *pprofx.Snapshot) {
	stacks, sets := w.stacks.numbers(s), w.labels.numbers(s.LabelSets)
	number := w.threads.of(s)
	for i := range s.Rows {
		r := &s.Rows[i]
		if len(w.rows) >= w.max.samples {
			w.left.Samples += int64(len(s.Rows) - i)
			return
		}
		w.rows = append(w.rows, row{
			at: r.Time, stack: stacks[r.Stack], labels: sets[r.Labels], thread: number(r), age: ageOf(r),
			state: r.State, stop: r.Stop,
		})
		if stacks[r.Stack] == otherStack {
			w.left.Stacks++
		}
		w.left.Add(w.labels.left[sets[r.Labels]])
	}
}

// LeftOut counts the samples over the limit, and those whose stack is [other] or whose labels are not whole.
func (w *writer) LeftOut() pprofx.LeftOut { return w.left }

// sorted brings what may be of several recordings into the order of time, and joins intervals without gaps. It uses
// package sort, because the executable has that already: package slices would be there once more for each type.
func (w *writer) sorted() {
	byTime := func(i, j int) bool { return w.rows[i].at < w.rows[j].at }
	if !sort.SliceIsSorted(w.rows, byTime) {
		sort.SliceStable(w.rows, byTime)
	}
	sort.Slice(w.intervals, func(i, j int) bool { return w.intervals[i].start < w.intervals[j].start })
	var joined []interval
	for _, i := range w.intervals {
		if n := len(joined); n > 0 && i.start <= joined[n-1].end {
			joined[n-1].end = max(joined[n-1].end, i.end)
		} else {
			joined = append(joined, i)
		}
	}
	w.intervals = joined
}

// span returns the time from the first interval or sample to the last.
func (w *writer) span() (all interval) {
	if len(w.intervals) > 0 {
		all = interval{w.intervals[0].start, w.intervals[len(w.intervals)-1].end}
	}
	if n := len(w.rows); n > 0 {
		all = interval{min(all.start, w.rows[0].at), max(all.end, w.rows[n-1].at)}
	}
	return all
}
