package pprofx

import (
	"math"
	"slices"
	"strings"
)

// Filter chooses samples. A sample must fulfil each condition; the zero Filter chooses all.
type Filter struct {
	Services []string      // of any of these; empty: of all
	Since    map[int]int64 // of the processes with these pids, from that time on; nil: of all
	Labels   []LabelFilter
	From, To int64 // of [From, To); To = 0 means no end
}

// LabelFilter is a condition on one label.
type LabelFilter struct {
	Key    string
	Values []string // any of these; empty: the sample has the label
}

// Apply returns the samples of s that are chosen, with the interval and the losses of s. It returns nil if the interval
// is not within [From, To) with any part.
func (f *Filter) Apply(s *Snapshot) *Snapshot {
	to := f.To
	if to == 0 {
		to = math.MaxInt64
	}
	if s.End < f.From || s.Start >= to {
		return nil
	}
	if f.choosesAll(s, to) {
		return s
	}
	sets := make([]bool, len(s.LabelSets))
	for i, labels := range s.LabelSets {
		sets[i] = f.matches(labels)
	}
	return s.Where(func(r *Row) bool {
		return sets[r.Labels] && r.Time >= f.From && r.Time < to && f.ofProcess(s, r)
	})
}

func (f *Filter) choosesAll(s *Snapshot, to int64) bool {
	return len(f.Services) == 0 && f.Since == nil && len(f.Labels) == 0 && f.From <= s.Start && s.End <= to
}

func (f *Filter) matches(labels []Label) bool {
	for _, want := range f.Labels {
		has := slices.ContainsFunc(labels, func(l Label) bool {
			return l.Key == want.Key && (len(want.Values) == 0 || slices.Contains(want.Values, l.Text()))
		})
		if !has {
			return false
		}
	}
	return true
}

func (f *Filter) ofProcess(s *Snapshot, r *Row) bool {
	if f.Since != nil {
		if since, ok := f.Since[int(r.PID)]; !ok || r.Time < since {
			return false
		}
	}
	return len(f.Services) == 0 || slices.Contains(f.Services, s.Processes[int(r.PID)].Service)
}

// MatchesName reports whether a name is one of names, in which * stands for the rest of a name.
func MatchesName(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		prefix, all := strings.CutSuffix(n, "*")
		return name == n || all && strings.HasPrefix(name, prefix)
	})
}
