package report

import (
	"cmp"
	"maps"
	"math"

	"github.com/hotspan/hotspan/pprofx/report/chance"
)

// Unit is what CPU time is compared per.
type Unit string

// The units.
const (
	PerSecond  Unit = "second"  // of the recording: 1 is a core
	PerCPU     Unit = "cpu"     // the share of all CPU time of the recording
	PerRequest Unit = "request" // seconds for each of a number of requests that the caller has counted
)

// Comparison is what differs between two sides. Of each table it has all rows, those that differ most first.
type Comparison struct {
	Unit     Unit    `json:"unit"`
	Old      Total   `json:"old"`
	New      Total   `json:"new"`
	Compared int     `json:"compared"`        // rows with enough samples to tell anything
	Whole    *Change `json:"whole,omitempty"` // nil for PerCPU

	Classes   []Change `json:"classes"`
	Routes    []Change `json:"routes"`
	By        []Change `json:"by,omitempty"`
	Functions []Change `json:"functions"`
}

// Change is a row of both sides. Name is empty for samples without a value.
type Change struct {
	Name       string   `json:"name"`
	File       string   `json:"file,omitempty"` // of a function
	Old        float64  `json:"old"`
	New        float64  `json:"new"`
	OldSamples int64    `json:"oldSamples"`
	NewSamples int64    `json:"newSamples"`
	Ratio      *float64 `json:"ratio"` // new to old; nil if there was none
	Low        float64  `json:"low"`   // the 95 % interval of the ratio
	High       *float64 `json:"high"`  // nil if it has no end
	// Certain says that chance does not explain the change: in 19 of 20 comparisons of equals, no row is certain.
	Certain bool `json:"certain"`
	// AtLeast is what the ratio is at least, with the certainty of Certain.
	AtLeast float64 `json:"atLeast"`
}

// FewestSamples is how many samples a row has on both sides together if it is compared. That the choice goes by the sum
// favours neither side.
const FewestSamples = 10

// confidence is that of a printed interval, and of a comparison as a whole.
const confidence = 0.95

// Compare compares two sides. Per request, oldRequests and newRequests are how many each has served, more than 0.
func Compare(before, after *Side, unit Unit, oldRequests, newRequests float64) *Comparison {
	c := comparer{
		before: exposure(before, unit, oldRequests), after: exposure(after, unit, newRequests),
		oldWeight: before.whole.weight(), newWeight: after.whole.weight(), scale: 1e-9,
	}
	if unit == PerCPU {
		c.scale = 1 // nanoseconds of nanoseconds
	}
	out := &Comparison{Unit: unit, Old: before.Total(), New: after.Total()}
	var whole []*Change
	if unit != PerCPU {
		whole = c.table(rows{place{}: before.whole}, rows{place{}: after.whole})
	}
	classes, routes := c.table(before.classes, after.classes), c.table(before.routes, after.routes)
	by, functions := c.table(before.bys, after.bys), c.table(before.functions, after.functions)
	out.Compared = len(c.judged)
	c.judge()
	if len(whole) > 0 {
		out.Whole = whole[0]
	}
	out.Classes, out.Routes = inOrder(classes, (*Change).compare), inOrder(routes, (*Change).compare)
	out.By, out.Functions = inOrder(by, (*Change).compare), inOrder(functions, (*Change).compare)
	return out
}

// exposure is what the CPU time of a side is divided by, in each slice.
func exposure(s *Side, unit Unit, requests float64) chance.Exposure {
	out := s.seconds()
	switch unit {
	case PerCPU:
		clear(out)
		for _, p := range s.whole.points {
			out[p.Slice] = p.Amount
		}
	case PerRequest:
		for i := range out {
			out[i] *= requests / (float64(s.length) / 1e9)
		}
	}
	return out
}

// weight is for how many nanoseconds a sample stands. Where that varies it is more than the mean, by as much as the
// variance is.
func (s *series) weight() float64 {
	if s.cpu == 0 {
		return 1
	}
	return s.squares / s.cpu
}

// comparer makes the rows of tables, and judges them when it knows how many there are.
type comparer struct {
	before, after        chance.Exposure
	oldWeight, newWeight float64
	scale                float64
	judged               []judged
	more                 int // of these, that are judged twice
}

type judged struct {
	*Change
	before, after chance.Amount
	// How many requests have any of it: what slow requests always do and others never is certain after fewer of them
	// than the times that it took, which vary, can tell.
	had, have *chance.Amount // nil for a Side
}

func (c *comparer) table(before, after rows) (out []*Change) {
	all := map[place]bool{}
	for _, side := range []rows{before, after} {
		for key := range maps.Keys(side) {
			all[key] = true
		}
	}
	for key := range all {
		olds, news := cmp.Or(before[key], &series{}), cmp.Or(after[key], &series{})
		a := chance.Amount{Exposure: c.before, Weight: c.oldWeight, Points: olds.points}
		b := chance.Amount{Exposure: c.after, Weight: c.newWeight, Points: news.points}
		row := &Change{Name: key.name, File: key.file, OldSamples: olds.samples, NewSamples: news.samples,
			Old: a.Rate() * c.scale, New: b.Rate() * c.scale}
		if row.Old > 0 {
			ratio := row.New / row.Old
			row.Ratio = &ratio
		}
		out = append(out, row)
		if olds.samples+news.samples >= FewestSamples {
			j := judged{Change: row, before: a, after: b}
			if len(olds.having)+len(news.having) > 0 {
				j.had = &chance.Amount{Exposure: c.before, Weight: 1, Points: olds.having}
				j.have = &chance.Amount{Exposure: c.after, Weight: 1, Points: news.having}
				c.more++
			}
			c.judged = append(c.judged, j)
		}
	}
	return out
}

// judge says of each row whether chance explains it. Of so many, one in twenty would differ by chance if each were
// judged for itself; so each must be as much more certain (Bonferroni).
func (c *comparer) judge() {
	for _, j := range c.judged {
		shown := chance.Ratio(&j.before, &j.after, confidence)
		j.Low = shown.Low
		if !math.IsInf(shown.High, 1) {
			j.High = &shown.High
		}
		high := 1 - (1-confidence)/float64(len(c.judged)+c.more)
		strict := chance.Ratio(&j.before, &j.after, high)
		j.Certain, j.AtLeast = strict.Excludes(1), strict.Low
		if j.have != nil && j.New > j.Old {
			j.Certain = j.Certain || chance.Ratio(j.had, j.have, high).Low > 1
		}
	}
}

// compare orders by the difference, the greatest first, whether it is more or less.
func (c *Change) compare(d *Change) int {
	return cmp.Or(cmp.Compare(math.Abs(d.New-d.Old), math.Abs(c.New-c.Old)), cmp.Compare(c.Name, d.Name),
		cmp.Compare(c.File, d.File))
}

// Certain returns the rows of a table that chance does not explain.
func Certain(table []Change) []Change {
	var out []Change
	for _, c := range table {
		if c.Certain {
			out = append(out, c)
		}
	}
	return out
}

// Dearer returns the rows of a table that have become dearer by more than a part of what they were, such as 0.1, beyond
// what chance explains. Those that the old side has no sample of are not among them.
func Dearer(table []Change, by float64) []Change {
	var out []Change
	for _, c := range table {
		if c.OldSamples > 0 && c.AtLeast > 1+by {
			out = append(out, c)
		}
	}
	return out
}
