package context

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds says which kinds of label are wanted. What is not wanted is not read.
type Kinds struct {
	Trace  bool // ids of the trace and the span
	Route  bool // the route, or the method and the path
	Custom bool // those of the user's rules
	Root   bool // with Trace: the id of the local root span too
}

// AllKinds are all but the local root span.
var AllKinds = Kinds{Trace: true, Route: true, Custom: true}

// ParseKinds reads a list of trace, route and custom with commas between them, or "none". It never sets Root.
func ParseKinds(s string) (Kinds, error) {
	var k Kinds
	if s == "none" {
		return k, nil
	}
	for _, name := range strings.Split(s, ",") {
		switch strings.TrimSpace(name) {
		case "trace":
			k.Trace = true
		case "route":
			k.Route = true
		case "custom":
			k.Custom = true
		default:
			return k, fmt.Errorf("labels %q: want trace, route, custom, or several with commas between them, or none",
				s)
		}
	}
	return k, nil
}

// Rules returns the rules for labels of these kinds: first the user's own, then the built-in ones. What the npm package
// hotspan publishes has any kind of label: it is read unless no kind is wanted.
func (k Kinds) Rules(own []Rule) []Rule {
	var out []Rule
	if k.Custom {
		out = append(out, own...)
	}
	if k != (Kinds{}) {
		out = append(out, packageRule())
	}
	for _, r := range slices.Concat(openTelemetry(), sentry(), datadog()) {
		if k.has(r.Label) {
			out = append(out, r)
		}
	}
	return out
}

func (k Kinds) has(label string) bool {
	switch label {
	case TraceID, SpanID, traceHigh, RequestStart:
		return k.Trace
	case RootSpan:
		return k.Trace && k.Root
	}
	return k.Route
}
