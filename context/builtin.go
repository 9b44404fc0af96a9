package context

import "slices"

// Names of a span's attributes that become labels under other keys.
const (
	oldMethod = "http.method" // these three: OpenTelemetry's semantic conventions before 1.23
	oldTarget = "http.target"
	oldURL    = "http.url"

	traceHigh = "_dd.p.tid" // the upper 64 bits of dd-trace's trace id, in hexadecimal digits
)

func properties(names ...string) []Step {
	var out []Step
	for _, n := range names {
		out = append(out, Step{Name: n})
	}
	return out
}

func global(description string) Step { return Step{Kind: GlobalEntry, Name: description} }

var (
	otelContext = properties("_currentContext")
	otelSpan    = slices.Concat(otelContext, []Step{global("OpenTelemetry Context Key SPAN")})
	otelRPC     = slices.Concat(otelContext, []Step{global("OpenTelemetry SDK Context Key RPC_METADATA")})
	otelBaggage = slices.Concat(otelContext, []Step{global("OpenTelemetry Baggage Key")}, properties("_entries"))
)

// openTelemetry are the rules for the OpenTelemetry SDK for JavaScript: its store is a context object with a JavaScript
// Map from symbols to the span and to what the HTTP instrumentation knows of the request. (@opentelemetry/api,
// src/context/context.ts; @opentelemetry/core, src/trace/rpc-metadata.ts)
func openTelemetry() []Rule {
	rules := []Rule{
		{Label: TraceID, Path: slices.Concat(otelSpan, properties("_spanContext", "traceId"))},
		{Label: SpanID, Path: slices.Concat(otelSpan, properties("_spanContext", "spanId"))},
		// Spans of Sentry until 10, kept in OpenTelemetry's context. (@sentry/core, src/tracing/sentrySpan.ts)
		{Label: TraceID, Path: slices.Concat(otelSpan, properties("_traceId"))},
		{Label: SpanID, Path: slices.Concat(otelSpan, properties("_spanId"))},
		{Label: RootSpan, Path: slices.Concat(otelRPC, properties("span", "_spanContext", "spanId"))},
		{Label: Route, Path: slices.Concat(otelRPC, properties("route"))},
		{Label: RequestStart, Path: slices.Concat(otelRPC, properties("span", "startTime")), Time: true},
		{Label: RequestStart, Path: slices.Concat(otelSpan, properties("startTime")), Time: true, Unless: RequestStart},
	}
	for _, name := range []string{Method, URLPath, oldMethod, oldTarget} {
		path := slices.Concat(otelRPC, properties("span", "attributes", name))
		rules = append(rules, Rule{Label: name, Path: path, Unless: Route})
	}
	return withSource(OpenTelemetry, rules)
}

// baggage is the path to an entry of OpenTelemetry's baggage. (@opentelemetry/api,
// src/baggage/internal/baggage-impl.ts)
func baggage(key string) []Step {
	return slices.Concat(otelBaggage, []Step{{Kind: MapEntry, Name: key}}, properties("value"))
}

// datadog are the rules for dd-trace: its store has the span. An id is an object whose private #buffer is an array of
// 8 or 16 bytes; the upper half of a trace id may be a text among the trace's tags. (dd-trace, src/id.js and
// src/opentracing/span_context.js)
func datadog() []Rule {
	context := properties("span", "_spanContext")
	trace := slices.Concat(context, properties("_trace"))
	root := slices.Concat(trace, properties("started"), []Step{{Kind: Element}}, properties("_spanContext"))
	id := func(path []Step, name string) []Step { return slices.Concat(path, properties(name, "#buffer")) }
	rules := []Rule{
		{Label: TraceID, Path: id(context, "_traceId"), Bytes: true},
		{Label: traceHigh, Path: slices.Concat(trace, properties("tags", traceHigh))},
		{Label: SpanID, Path: id(context, "_spanId"), Bytes: true},
		{Label: RootSpan, Path: id(root, "_spanId"), Bytes: true},
		{Label: Route, Path: slices.Concat(root, properties("_tags", Route))},
		{Label: RequestStart, Path: slices.Concat(trace, properties("startTime")), Time: true},
	}
	for _, name := range []string{oldMethod, oldURL} {
		rules = append(rules, Rule{Label: name, Path: slices.Concat(root, properties("_tags", name)), Unless: Route})
	}
	return withSource(Datadog, rules)
}

// sentry are the rules for Sentry from 11 on: its store has a scope, and that a WeakRef to the span. (@sentry/core,
// src/utils/spanOnScope.ts, src/tracing/sentrySpan.ts)
func sentry() []Rule {
	span := properties("scope", "refs", "span")
	return withSource(Sentry, []Rule{
		{Label: TraceID, Path: slices.Concat(span, properties("_traceId"))},
		{Label: SpanID, Path: slices.Concat(span, properties("_spanId"))},
	})
}

func withSource(s Source, rules []Rule) []Rule {
	for i := range rules {
		rules[i].Source = s
	}
	return rules
}
