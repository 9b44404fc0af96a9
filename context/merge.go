package context

import (
	"slices"
	"strings"
)

// Merge joins the labels of all sources in one list, sorted by key. Each key is in it once, from the first source that
// has it. Labels that belong together come from one source: the ids of a trace and its spans; and, of what tracers'
// stores have, the method and the path. If there is a route, the method and path of tracers are left out, since the
// route says the same with fewer values.
func Merge(sets *LabelsBySource) []Label {
	trace, _ := firstWith(sets, 0, TraceID, SpanID)
	_, routed := firstWith(sets, 0, Route)
	web, _ := firstWith(sets, OpenTelemetry, Method, URLPath)
	most := 0
	for _, labels := range sets {
		most += len(labels)
	}
	var out []Label
	for i, labels := range sets {
		source := Source(i)
		for _, l := range labels {
			switch l.Key {
			case TraceID, SpanID, RootSpan:
				if source != trace {
					continue
				}
			case RequestStart:
				if !sameTrace(labels, sets[trace]) {
					continue
				}
			case Method, URLPath:
				if source >= OpenTelemetry && (routed || source != web) {
					continue
				}
			}
			if out == nil {
				out = make([]Label, 0, most)
			}
			if !hasKey(out, l.Key) {
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// sameTrace reports whether both sets have a trace id, and the same one.
func sameTrace(a, b []Label) bool {
	return slices.ContainsFunc(a, func(l Label) bool { return l.Key == TraceID && slices.Contains(b, l) })
}

// firstWith finds the first source, not before from, that has the first of the keys; if none has, one with the next
// key.
func firstWith(sets *LabelsBySource, from Source, keys ...string) (Source, bool) {
	for _, key := range keys {
		for s := from; s < NumSources; s++ {
			if hasKey(sets[s], key) {
				return s, true
			}
		}
	}
	return 0, false
}
