package pprofx

import (
	"cmp"
	"slices"
)

// LeftOutLabel is the key of the label of a sample that has lost others, because there were MaxLabelSets sets of them.
// Its value is LeftOutIDs or LeftOutAll.
const (
	LeftOutLabel = "hotspan.left_out"
	LeftOutIDs   = "ids"    // the sample has its labels but trace_id, span_id and local_root_span_id
	LeftOutAll   = "labels" // it has no other label
)

// leftOut returns what is left out of labels: LeftOutIDs, LeftOutAll, or nothing.
func leftOut(labels []Label) string {
	if i := slices.IndexFunc(labels, isLeftOut); i >= 0 {
		return labels[i].Str
	}
	return ""
}

func isLeftOut(l Label) bool { return l.Key == LeftOutLabel }

// The labels that have mostly another value in each request.
const (
	traceID    = "trace_id"
	spanID     = "span_id"
	rootSpanID = "local_root_span_id"
)

func isID(l Label) bool { return l.Key == traceID || l.Key == spanID || l.Key == rootSpanID }

// LabelLimit limits distinct sets of labels: Max of those with ids, and as many of those without.
type LabelLimit struct {
	Max             int
	withIDs, others int // so many there are
}

// Admit reports whether there is room for another set, and counts it. It is not for sets that are there already.
func (l *LabelLimit) Admit(labels []Label) bool {
	n := &l.others
	switch {
	case slices.ContainsFunc(labels, isID):
		n = &l.withIDs
	case len(labels) == 1 && leftOut(labels) == LeftOutAll: // the one that stands for all beyond the limit
		return true
	}
	if *n >= l.Max {
		return false
	}
	*n++
	return true
}

// ReduceLabels returns what is kept of labels that a LabelLimit does not admit: those that are no ids; or none, if
// there are no ids. The label LeftOutLabel says which.
func ReduceLabels(labels []Label) []Label {
	if !slices.ContainsFunc(labels, isID) {
		return []Label{{Key: LeftOutLabel, Str: LeftOutAll}}
	}
	kept := slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return isID(l) || isLeftOut(l) })
	kept = append(kept, Label{Key: LeftOutLabel, Str: LeftOutIDs})
	slices.SortStableFunc(kept, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	return kept
}
