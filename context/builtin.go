package context

// The labels that the built-in rules make.
const (
	TraceID  = "trace_id"
	SpanID   = "span_id"
	RootSpan = "local_root_span_id" // of the first span of the trace in this process; only for Datadog's style
	Route    = "http.route"
	Method   = "http.request.method"
	URLPath  = "url.path"

	oldMethod = "http.method" // semantic conventions before 1.23
	oldTarget = "http.target"
	oldURL    = "http.url"

	traceHigh = "_dd.p.tid" // the upper 64 bits of dd-trace's trace id
)

func properties(names ...string) []Step {
	var out []Step
	for _, n := range names {
		out = append(out, Step{Name: n})
	}
	return out
}

func global(description string) Step { return Step{Kind: GlobalEntry, Name: description} }

func join(parts ...[]Step) []Step {
	var out []Step
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

var (
	otelContext = properties("_currentContext")
	otelSpan    = join(otelContext, []Step{global("OpenTelemetry Context Key SPAN")})
	otelRPC     = join(otelContext, []Step{global("OpenTelemetry SDK Context Key RPC_METADATA")})
	otelBaggage = join(otelContext, []Step{global("OpenTelemetry Baggage Key")}, properties("_entries"))
)

// openTelemetry are the rules for the OpenTelemetry SDK for JavaScript: its store is a context object with a Map from
// symbols to the span and to what the HTTP instrumentation knows of the request. (@opentelemetry/api,
// src/context/context.ts; @opentelemetry/core, src/trace/rpc-metadata.ts)
func openTelemetry() []Rule {
	rules := []Rule{
		{Label: TraceID, Path: join(otelSpan, properties("_spanContext", "traceId"))},
		{Label: SpanID, Path: join(otelSpan, properties("_spanContext", "spanId"))},
		// Sentry's own spans, which it keeps in OpenTelemetry's context. (@sentry/core, src/tracing/sentrySpan.ts)
		{Label: TraceID, Path: join(otelSpan, properties("_traceId"))},
		{Label: SpanID, Path: join(otelSpan, properties("_spanId"))},
		{Label: RootSpan, Path: join(otelRPC, properties("span", "_spanContext", "spanId"))},
		{Label: Route, Path: join(otelRPC, properties("route"))},
	}
	for _, name := range []string{Method, URLPath, oldMethod, oldTarget} {
		rules = append(rules, Rule{Label: name, Path: join(otelRPC, properties("span", "attributes", name)), Unless: Route})
	}
	return by(OpenTelemetry, rules)
}

// baggage is the path to an entry of OpenTelemetry's baggage. (@opentelemetry/api, src/baggage/internal/baggage-impl.ts)
func baggage(key string) []Step {
	return join(otelBaggage, []Step{{Kind: MapEntry, Name: key}}, properties("value"))
}

// datadog are the rules for dd-trace: its store has the span. An id is an object whose private #buffer is an array of
// 8 bytes, or 16; the upper half of a trace id may be text among the trace's tags. (dd-trace, src/id.js and
// src/opentracing/span_context.js)
func datadog() []Rule {
	context := properties("span", "_spanContext")
	trace := join(context, properties("_trace"))
	root := join(trace, properties("started"), []Step{{Kind: Element}}, properties("_spanContext"))
	id := func(path []Step, name string) []Step { return join(path, properties(name, "#buffer")) }
	rules := []Rule{
		{Label: TraceID, Path: id(context, "_traceId"), Bytes: true},
		{Label: traceHigh, Path: join(trace, properties("tags", traceHigh))},
		{Label: SpanID, Path: id(context, "_spanId"), Bytes: true},
		{Label: RootSpan, Path: id(root, "_spanId"), Bytes: true},
		{Label: Route, Path: join(root, properties("_tags", Route))},
	}
	for _, name := range []string{oldMethod, oldURL} {
		rules = append(rules, Rule{Label: name, Path: join(root, properties("_tags", name)), Unless: Route})
	}
	return by(Datadog, rules)
}

func by(r Reader, rules []Rule) []Rule {
	for i := range rules {
		rules[i].Reader = r
	}
	return rules
}
