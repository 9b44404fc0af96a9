package context

import (
	"slices"
	"strings"
)

// Reader is one way in which labels of a request reach a sample. The order is that of precedence: where two readers
// have a value for a label, the earlier one's counts.
//
//	reader           what it reads                                          labels
//	Rules            what the user's rules lead to                          those of the rules
//	PublishedNode    OTEP 4947 record of the running continuation           trace_id, span_id, attributes by their keys
//	PublishedThread  OTEP 4947 record of the thread                         the same
//	PublishedLabels  custom labels of the continuation, then of the thread  their own keys
//	OpenTelemetry    the store of the OpenTelemetry SDK                     trace_id, span_id; http.route, or method and url.path
//	Datadog          the store of dd-trace                                  the same
type Reader uint8

// The readers. What the user asks for by name goes first, then what the application says for readers outside it, then what
// hotspan finds by itself in the objects of tracers.
const (
	Rules Reader = iota
	PublishedNode
	PublishedThread
	PublishedLabels
	OpenTelemetry
	Datadog
	NumReaders
)

// Sets are the labels that each reader has for one sample.
type Sets [NumReaders][]Label

// Merge makes one set of those of all readers, sorted by key. A span id goes with the trace id that it was read with, a
// method with its path; of a tracer's these two are left out where there is a route: it says what they say and has few values.
func Merge(sets *Sets) []Label {
	trace, _ := firstWith(sets, 0, TraceID, SpanID)
	_, routed := firstWith(sets, 0, Route)
	web, _ := firstWith(sets, OpenTelemetry, Method, URLPath)
	var out []Label
	for i, labels := range sets {
		reader := Reader(i)
		for _, l := range labels {
			switch l.Key {
			case TraceID, SpanID, RootSpan:
				if reader != trace {
					continue
				}
			case Method, URLPath:
				if reader >= OpenTelemetry && (routed || reader != web) {
					continue
				}
			}
			if !hasKey(out, l.Key) {
				out = append(out, l)
			}
		}
	}
	slices.SortFunc(out, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// firstWith is the first reader from one on that has a label of the first of the keys that any has.
func firstWith(sets *Sets, from Reader, keys ...string) (Reader, bool) {
	for _, key := range keys {
		for r := from; r < NumReaders; r++ {
			if hasKey(sets[r], key) {
				return r, true
			}
		}
	}
	return 0, false
}

func hasKey(labels []Label, key string) bool {
	return slices.ContainsFunc(labels, func(l Label) bool { return l.Key == key })
}
