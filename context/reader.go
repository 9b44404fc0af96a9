package context

import (
	"slices"
	"strings"
)

// Reader is one way in which labels of a request reach a sample. The order is that of precedence: where two readers
// have a value for a label, the earlier one's counts.
//
//	reader            what it reads                                          labels
//	PublishedNode     OTEP 4947 record of the running continuation           trace_id, span_id, attributes by their keys
//	PublishedThread   OTEP 4947 record of the thread                         the same
//	PublishedLabels   custom labels of the continuation, then of the thread  their own keys
//	Stores            what tracers and applications keep in their stores     those of the rules
type Reader uint8

// The readers. What the application says for readers outside it goes before what is found in its objects.
const (
	PublishedNode Reader = iota
	PublishedThread
	PublishedLabels
	Stores
	NumReaders
)

// Merge makes one set of those of all readers, sorted by key. A span id goes with the trace id that it was read with.
func Merge(sets *[NumReaders][]Label) []Label {
	var out []Label
	taken := map[string]bool{}
	for _, labels := range sets {
		traced := taken[TraceID] || taken[SpanID]
		for _, l := range labels {
			if taken[l.Key] || traced && (l.Key == TraceID || l.Key == SpanID) {
				continue
			}
			out = append(out, l)
		}
		for _, l := range labels {
			taken[l.Key] = true
		}
	}
	slices.SortStableFunc(out, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(out, func(a, b Label) bool { return a.Key == b.Key })
}
