package pprofx

import (
	"cmp"
	"slices"
	"strconv"
)

// Group is the rows of a snapshot that have one value of a label.
type Group struct {
	// Value is the text of the label, or its number in decimal. It is empty for the rows without the label, and
	// OtherValue for those that are beyond the limit.
	Value string
	Rows  []int32 // indices into Snapshot.Rows, ascending
}

const (
	// MaxGroups limits the values that GroupBy tells apart.
	MaxGroups = 100
	// OtherValue is the value of the rows whose own is beyond MaxGroups.
	OtherValue = "(other)"
)

// GroupBy groups the rows by the values of a label: each row is in one group. The groups with most rows come first.
// Beyond MaxGroups values, those with fewest rows are one group, the last, besides that of the rows without the label.
func (s *Snapshot) GroupBy(key string) []Group {
	byValue := map[string]int{}
	var all []Group
	group := func(value string) *Group {
		i, ok := byValue[value]
		if !ok {
			i = len(all)
			byValue[value] = i
			all = append(all, Group{Value: value})
		}
		return &all[i]
	}
	values := s.values(key)
	for i := range s.Rows {
		g := group(values[s.Rows[i].Labels])
		g.Rows = append(g.Rows, int32(i))
	}
	slices.SortStableFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Rows), len(a.Rows)), cmp.Compare(a.Value, b.Value))
	})
	return limited(all)
}

// values returns the value that each set of labels has of one label.
func (s *Snapshot) values(key string) []string {
	values := make([]string, len(s.LabelSets))
	for i, set := range s.LabelSets {
		for _, l := range set {
			if l.Key == key {
				values[i] = cmp.Or(l.Str, strconv.FormatInt(l.Num, 10))
			}
		}
	}
	return values
}

// limited merges the groups beyond MaxGroups, of which there are most rows first.
func limited(all []Group) []Group {
	unlabelled := slices.IndexFunc(all, func(g Group) bool { return g.Value == "" })
	most := MaxGroups
	if unlabelled >= 0 {
		most++
	}
	if len(all) <= most {
		return all
	}
	if unlabelled >= most { // it stays a group of its own, the last of those
		g := all[unlabelled]
		all = slices.Insert(slices.Delete(all, unlabelled, unlabelled+1), most-1, g)
	}
	if i := slices.IndexFunc(all[:most], func(g Group) bool { return g.Value == OtherValue }); i >= 0 {
		all = append(slices.Delete(slices.Clone(all), i, i+1), all[i]) // a value that is called so itself
		most--
	}
	other := Group{Value: OtherValue}
	for _, g := range all[most:] {
		other.Rows = append(other.Rows, g.Rows...)
	}
	slices.Sort(other.Rows)
	return append(all[:most:most], other)
}

// Split returns a snapshot of each group of rows. All have the interval of s, the first has its losses.
func (s *Snapshot) Split(groups []Group) []*Snapshot {
	var out []*Snapshot
	for i, g := range groups {
		rows := make([]Row, len(g.Rows))
		for j, r := range g.Rows {
			rows[j] = s.Rows[r]
		}
		part := s.with(rows, s.LabelSets)
		if i > 0 {
			part.Lost = nil
		}
		out = append(out, part)
	}
	return out
}
