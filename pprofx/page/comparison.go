package page

import (
	"errors"
	"io"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// Comparison is a Writer of a page that compares recordings: the first with the last at first, and any two stretches of
// time of them. They stand on it one behind the other, with their own times of day.
type Comparison struct {
	*writer
	shift int64 // nanoseconds by which the recording at hand is earlier on the page than it was
	end   int64 // of all so far, Unix time in nanoseconds on the page
}

// NewComparison returns a Comparison. by is the label by which samples are grouped at first; empty for the route.
func NewComparison(to io.Writer, by string) *Comparison {
	c := &Comparison{writer: newWriter(to, fullLimits)}
	c.by = by
	return c
}

// Begin begins a recording, of which the snapshots that follow are, in the order of time.
func (c *Comparison) Begin(name string) {
	c.stalls.Break()
	c.parts = append(c.parts, part{Name: name})
}

var errNotBegun, errOrder = errors.New("snapshot: before the first recording"),
	errors.New("snapshot: earlier than the first of its recording")

// Add adds a snapshot of the recording that was begun last. Its errors are those of other pages, and that of a snapshot
// before the first of its recording.
func (c *Comparison) Add(s *pprofx.Snapshot) error {
	n := len(c.parts)
	if n == 0 {
		return errNotBegun
	}
	p := &c.parts[n-1]
	begins := p.End == 0
	if begins && n > 1 {
		// Between two recordings is a narrow gap, so that one sees where a recording ends.
		gap := (c.end-c.parts[0].Start*1000)/50 + 1e6
		c.shift = (s.Start - c.end - gap) / 1000 * 1000
	}
	moved := *s
	moved.Start, moved.End = s.Start-c.shift, s.End-c.shift
	moved.Rows = slices.Clone(s.Rows)
	first, last := moved.Start, moved.End
	for i := range moved.Rows {
		r := &moved.Rows[i]
		r.Time -= c.shift
		if r.Start != 0 {
			r.Start -= c.shift
		}
		first, last = min(first, r.Time), max(last, r.Time+1000)
	}
	if begins {
		*p = part{p.Name, micros(first), 0, c.shift / 1000}
	} else if micros(first) < p.Start {
		return errOrder
	}
	p.End = max(p.End, micros(last)+1)
	c.end = max(c.end, last)
	return c.writer.Add(&moved)
}
