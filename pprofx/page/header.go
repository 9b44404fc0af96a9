package page

import (
	"encoding/json"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// maxStalls is how many stalls the page lists.
const maxStalls = 500

// header is the part of the data that is small. Times are Unix time in microseconds: nanoseconds are beyond the whole
// numbers that JavaScript can tell apart.
type header struct {
	Start, End int64
	Period     int64 // nanoseconds of CPU time that a sample stands for
	Intervals  [][2]int64
	Lost       []lostIn
	LeftOut    pprofx.LeftOut // what is not on the page
	Processes  []process
	Kinds      []string // names, by number
	Tiers      []string
	States     []string
	Stops      []string
	Loops      int            // threads with an event loop whose turns are known
	Stalls     []report.Stall // the longest first; times are in nanoseconds
	MoreStalls int64          // that are not listed
	Parts      []part         `json:",omitempty"` // of a Comparison: the recordings, as they stand on the page
	Ages       bool           `json:",omitempty"` // whether rows have the age of their request
	By         string         `json:",omitempty"` // label by which samples are grouped at first
	Source     *sources       `json:",omitempty"` // where source lines are shown
}

type lostIn struct {
	Start, End int64
	Samples    map[string]int64 // by reason
}

func (w *writer) header() []byte {
	all := w.span()
	h := header{
		Parts: w.parts, By: w.by, Ages: w.ages(), Source: w.sources(),
		Start: micros(all.start), End: micros(all.end), Period: w.period, LeftOut: w.left,
		Processes: w.threads.processes, Intervals: [][2]int64{}, Lost: []lostIn{},
	}
	for _, i := range w.intervals {
		h.Intervals = append(h.Intervals, [2]int64{micros(i.start), micros(i.end)})
	}
	for _, l := range w.losses {
		samples := map[string]int64{}
		for reason, n := range l.lost {
			samples[reason.String()] += n
		}
		h.Lost = append(h.Lost, lostIn{micros(l.start), micros(l.end), samples})
	}
	for k := pprofx.JS; k <= pprofx.Marker; k++ {
		h.Kinds = append(h.Kinds, k.String())
	}
	for t := pprofx.NoTier; t <= pprofx.TurboFan; t++ {
		h.Tiers = append(h.Tiers, t.String())
	}
	for s := pprofx.StateOther; s <= pprofx.StateIdle; s++ {
		h.States = append(h.States, s.String())
	}
	for s := pprofx.StopUnknown; s <= pprofx.StopBadPC; s++ {
		h.Stops = append(h.Stops, s.String())
	}
	h.Loops = w.stalls.Loops()
	h.Stalls, h.MoreStalls = w.stalls.Longest()
	if n := len(h.Stalls); n > maxStalls {
		h.Stalls, h.MoreStalls = h.Stalls[:maxStalls], h.MoreStalls+int64(n-maxStalls)
	}
	text, _ := json.Marshal(h) // texts and numbers: it cannot fail
	return text
}

// ages reports whether the age of any request is known.
func (w *writer) ages() bool {
	for i := range w.rows {
		if w.rows[i].age > 0 {
			return true
		}
	}
	return false
}

func micros(nanos int64) int64 { return nanos / 1000 }

// writeData writes all that the page shows.
func (w *writer) writeData(c *columns) {
	header := w.header()
	c.number(uint64(len(header)))
	c.to.Write(header)
	c.texts(w.texts.list)
	w.writeStacks(c)
	w.writeThreads(c)
	w.writeLabels(c)
	w.writeRows(c)
}

func (w *writer) writeStacks(c *columns) {
	s := w.stacks
	n := len(s.functions)
	c.number(uint64(n))
	c.column(n, func(i int) uint64 { return uint64(s.functions[i].name) })
	c.column(n, func(i int) uint64 { return uint64(s.functions[i].file) })
	n = len(s.frames)
	c.number(uint64(n))
	c.column(n, func(i int) uint64 { return uint64(s.frames[i].function) })
	c.column(n, func(i int) uint64 { return uint64(s.frames[i].line) })
	c.column(n, func(i int) uint64 { return uint64(s.frames[i].column) })
	c.column(n, func(i int) uint64 { return uint64(s.frames[i].code) })
	n = len(s.nodes)
	c.number(uint64(n)) // the root too, which has neither of these
	c.column(n-1, func(i int) uint64 { return uint64(int32(i+1) - s.nodes[i+1].parent) })
	c.column(n-1, func(i int) uint64 { return uint64(s.nodes[i+1].frame) })
	c.list(s.list)
}

func (w *writer) writeThreads(c *columns) {
	list := w.threads.list
	c.number(uint64(len(list)))
	c.column(len(list), func(i int) uint64 { return uint64(list[i].process) })
	c.column(len(list), func(i int) uint64 { return uint64(uint32(list[i].tid)) })
	c.column(len(list), func(i int) uint64 { return uint64(list[i].name) })
}

func (w *writer) writeLabels(c *columns) {
	c.number(uint64(len(w.labels.sets)))
	c.number(uint64(len(w.labels.keys)))
	for i, key := range w.labels.keys {
		c.number(uint64(key.name))
		c.list(key.values)
		column := w.labels.column(i)
		c.column(len(column), func(i int) uint64 { return uint64(column[i]) })
	}
}

func (w *writer) writeRows(c *columns) {
	rows, before := w.rows, micros(w.span().start)
	c.number(uint64(len(rows)))
	c.column(len(rows), func(i int) uint64 {
		at := micros(rows[i].at)
		since := at - before
		before = at
		return uint64(since)
	})
	c.column(len(rows), func(i int) uint64 { return uint64(rows[i].stack) })
	c.column(len(rows), func(i int) uint64 { return uint64(rows[i].labels) })
	c.column(len(rows), func(i int) uint64 { return uint64(rows[i].thread) })
	c.column(len(rows), func(i int) uint64 { return uint64(rows[i].state) })
	c.column(len(rows), func(i int) uint64 { return uint64(rows[i].stop) })
	if w.ages() {
		c.column(len(rows), func(i int) uint64 { return uint64(rows[i].age) })
	}
}
