package report

import (
	"cmp"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// TraceIDs finds traces by their id, or how it begins. It is not safe for concurrent use. Use NewTraceIDs to make one.
type TraceIDs struct {
	prefix string
	found  map[string]*foundTrace
}

// FoundTrace is a trace of which there are samples.
type FoundTrace struct {
	ID          string
	Route       string // with most samples
	Samples     int64
	First, Last int64 // Unix time in nanoseconds, of samples
	Period      int64 // for which a sample stands, in nanoseconds; the longest if there are several
}

type foundTrace struct {
	FoundTrace
	routes groups
}

// NewTraceIDs returns a TraceIDs for ids that begin with prefix, in upper or lower case.
func NewTraceIDs(prefix string) *TraceIDs {
	return &TraceIDs{prefix: prefix, found: map[string]*foundTrace{}}
}

// Add looks for traces in a snapshot.
func (t *TraceIDs) Add(s *pprofx.Snapshot) {
	ids, has := make([]string, len(s.LabelSets)), false
	for i, labels := range s.LabelSets {
		id := value(labels, traceLabel)
		if len(id) >= len(t.prefix) && id != "" && strings.EqualFold(id[:len(t.prefix)], t.prefix) {
			ids[i], has = id, true
		}
	}
	if !has {
		return
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		id := ids[r.Labels]
		if id == "" {
			continue
		}
		at := t.found[id]
		if at == nil {
			at = &foundTrace{FoundTrace: FoundTrace{ID: id, First: r.Time}, routes: groups{}}
			t.found[id] = at
		}
		at.Samples++
		at.Period = max(at.Period, s.Period)
		at.First, at.Last = min(at.First, r.Time), max(at.Last, r.Time)
		at.routes.add(value(s.LabelSets[r.Labels], routeLabel), "", &Counts{JS: s.Period})
	}
}

// Found returns the traces whose id begins so, those with most samples first; only one if that is its whole id.
func (t *TraceIDs) Found() []FoundTrace {
	var all []*FoundTrace
	for _, at := range t.found {
		at.Route = at.routes.sorted()[0].Name
		if len(at.ID) == len(t.prefix) {
			return []FoundTrace{at.FoundTrace}
		}
		all = append(all, &at.FoundTrace)
	}
	return inOrder(all, func(a, b *FoundTrace) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.ID, b.ID))
	})
}
