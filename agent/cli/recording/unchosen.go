package recording

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// choice is a flag that chooses samples by what they have, such as a route.
type choice struct {
	names string // of what it chooses
	of    func(*pprofx.Snapshot, *pprofx.Row) string
	there map[string]int // samples with each; of the first maxThere
}

const (
	maxThere  = 1000 // kept of a choice
	maxListed = 8    // of these
)

// choices are what might be chosen, for when there is no sample of what is.
type choices struct {
	all     []choice
	set     bool // samples are chosen, and be it by what is not in all
	samples int  // that are there
	chosen  int
	start   int64 // of the recordings, in nanoseconds of Unix time
	end     int64
}

// add adds a choice, if it is set.
func (c *choices) add(isSet bool, names string, of func(*pprofx.Snapshot, *pprofx.Row) string) {
	if isSet {
		c.set, c.all = true, append(c.all, choice{names, of, map[string]int{}})
	}
}

// label returns what a sample has as a label.
func label(key string) func(*pprofx.Snapshot, *pprofx.Row) string {
	return func(s *pprofx.Snapshot, r *pprofx.Row) string {
		for _, l := range s.LabelSets[r.Labels] {
			if l.Key == key {
				return l.Text()
			}
		}
		return ""
	}
}

// note adds a snapshot of a recording.
func (c *choices) note(s *pprofx.Snapshot) {
	if !c.set {
		return
	}
	c.samples += len(s.Rows)
	if c.start == 0 || s.Start < c.start {
		c.start = s.Start
	}
	c.end = max(c.end, s.End)
	for _, one := range c.all {
		for i := range s.Rows {
			what := one.of(s, &s.Rows[i])
			if _, ok := one.there[what]; what != "" && (ok || len(one.there) < maxThere) {
				one.there[what]++
			}
		}
	}
}

// noteOthers adds files of another time, if nothing else is chosen.
func (c *choices) noteOthers(to terminal.Console, files []string) {
	if c.chosen > 0 {
		return
	}
	for _, name := range files {
		// what cannot be read has nothing that is asked for
		_ = readRecording(to, name, func(s *pprofx.Snapshot) error { c.note(s); return nil })
	}
}

// warn says what there is, if nothing of it is chosen.
func (c *choices) warn(to terminal.Console, byTime bool) {
	if !c.set || c.chosen > 0 || c.samples == 0 {
		return
	}
	values := []any{"of", c.samples}
	for _, one := range c.all {
		values = append(values, one.names, one.list())
	}
	if byTime {
		values = append(values, "from", utc(c.start), "to", utc(c.end))
	}
	to.Logger(false).Warn("no sample is chosen", values...)
}

func utc(t int64) string { return time.Unix(0, t).UTC().Format("2006-01-02 15:04:05 UTC") }

// list has those with most samples.
func (c *choice) list() string {
	all := slices.SortedFunc(maps.Keys(c.there), func(a, b string) int {
		return cmp.Or(c.there[b]-c.there[a], strings.Compare(a, b))
	})
	more := len(all) - maxListed
	switch {
	case len(all) == 0:
		return "none"
	case more <= 0:
		return strings.Join(all, ", ")
	case len(all) == maxThere:
		return fmt.Sprintf("%s and at least %d more", strings.Join(all[:maxListed], ", "), more)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxListed], ", "), more)
}
