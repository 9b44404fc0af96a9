package pprofx

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Share is a part of all samples of some snapshots.
type Share struct {
	Name     string // label value, or function; empty for the samples without the label
	Where    string // functions: "file:line" with the line that has the most samples, else the module, else empty
	Samples  int64
	CPU      time.Duration // that the samples stand for
	Fraction float64       // of all samples of the snapshots, 0 to 1
}

// ByLabel shares out all samples by the value of the label key. The samples without it are one share, with the empty
// Name. Shares come by size, largest first.
func ByLabel(snapshots []*Snapshot, key string) []Share {
	c := counter{}
	for _, s := range snapshots {
		values := labelValues(s, key)
		for i := range s.Rows {
			c.add(shareKey{name: values[s.Rows[i].Labels]}, "", s.Period)
		}
	}
	return c.shares(snapshots, 0)
}

// TopFunctions returns the n functions with the most samples in their own code; all of them if n is 0. What runs in an
// inlined function is that function's.
func TopFunctions(snapshots []*Snapshot, n int) []Share {
	return topFunctions(snapshots, n, nil)
}

// TopFunctionsOf is TopFunctions of the samples whose label key has the given value, "" being those without the label.
// Fractions are still of all samples.
func TopFunctionsOf(snapshots []*Snapshot, key, value string, n int) []Share {
	return topFunctions(snapshots, n, func(s *Snapshot) []bool {
		values := labelValues(s, key)
		wanted := make([]bool, len(values))
		for i, v := range values {
			wanted[i] = v == value
		}
		return wanted
	})
}

// topFunctions counts the rows whose label set is wanted; all where wanted is nil.
func topFunctions(snapshots []*Snapshot, n int, wanted func(*Snapshot) []bool) []Share {
	c := counter{}
	for _, s := range snapshots {
		var want []bool
		if wanted != nil {
			want = wanted(s)
		}
		for i := range s.Rows {
			if want == nil || want[s.Rows[i].Labels] {
				key, where := leaf(s, s.Rows[i].Stack)
				c.add(key, where, s.Period)
			}
		}
	}
	return c.shares(snapshots, n)
}

// leaf returns what the leaf function of a stack is known by and where it ran.
func leaf(s *Snapshot, stack int32) (shareKey, string) {
	if len(s.Stacks[stack]) == 0 {
		return shareKey{name: noStack, kind: Marker}, ""
	}
	f := s.Frames[s.Stacks[stack][0]]
	key := shareKey{f.Function, f.File, f.Module, f.Kind}
	switch {
	case f.File == "":
		return key, f.Module
	case f.Line == 0:
		return key, f.File
	}
	return key, f.File + ":" + strconv.Itoa(f.Line)
}

// labelValues returns the value of a label for each label set, "" where it is not in it.
func labelValues(s *Snapshot, key string) []string {
	values := make([]string, len(s.LabelSets))
	for i, set := range s.LabelSets {
		for _, l := range set {
			if l.Key == key {
				values[i] = labelText(l)
			}
		}
	}
	return values
}

func labelText(l Label) string {
	switch {
	case l.Str != "":
		return l.Str
	case l.Unit != "":
		return strconv.FormatInt(l.Num, 10) + " " + l.Unit
	}
	return strconv.FormatInt(l.Num, 10)
}

// counter counts samples by what they have in common.
type counter map[shareKey]*count

type shareKey struct {
	name, file, module string
	kind               Kind
}

type count struct {
	samples, nanoseconds int64
	where                map[string]int64
}

func (c counter) add(key shareKey, where string, period int64) {
	n := c[key]
	if n == nil {
		n = &count{where: make(map[string]int64)}
		c[key] = n
	}
	n.samples++
	n.nanoseconds += period
	n.where[where]++
}

// shares returns the n largest counts, all if n is 0, as parts of all rows of the snapshots.
func (c counter) shares(snapshots []*Snapshot, n int) []Share {
	total := 0
	for _, s := range snapshots {
		total += len(s.Rows)
	}
	shares := make([]Share, 0, len(c))
	for key, n := range c {
		shares = append(shares, Share{
			Name: key.name, Where: mostFrequent(n.where), Samples: n.samples,
			CPU: time.Duration(n.nanoseconds), Fraction: float64(n.samples) / float64(total),
		})
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Where, b.Where))
	})
	if n > 0 && n < len(shares) {
		shares = shares[:n]
	}
	return shares
}

// mostFrequent returns the key with the highest count, of equals the first in order.
func mostFrequent(counts map[string]int64) string {
	best := ""
	for k, n := range counts {
		if m := counts[best]; n > m || n == m && k < best {
			best = k
		}
	}
	return best
}
