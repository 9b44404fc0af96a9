'use strict';

const sdk = require(process.env.TRACER === 'opentelemetry 3' ? '../opentelemetry/sdk' : './sdk');
const { traceparent } = require('./request');

const { ROOT_CONTEXT, SpanKind, context, propagation, trace } = sdk.api;
const { RPCType, hrTime, setRPCMetadata } = sdk.core;

// register sets the OpenTelemetry SDK up.
function register() {
  sdk.register();
  return new Tracing(trace.getTracer('requests'));
}

// Tracing does what OpenTelemetry's instrumentation of an HTTP server does.
class Tracing {
  constructor(tracer) {
    this.tracer = tracer;
  }

  // serve calls go with the server span, in its context: with RPC metadata and baggage beside it.
  serve(request, go) {
    const parent = request.remote ? propagation.extract(ROOT_CONTEXT, { traceparent: traceparent() }) : ROOT_CONTEXT;
    const attributes = { 'http.request.method': request.method, 'url.path': request.target };
    const options = { kind: SpanKind.SERVER, attributes };
    if (request.number % 2) options.startTime = hrTime(); // else it has milliseconds only
    const span = this.tracer.startSpan(request.method, options, parent);
    request.start = startOf(span);
    const metadata = { type: RPCType.HTTP, span };
    const baggage = propagation.createBaggage({ other: { value: 'x' }, tenant: { value: request.tenantName } });
    const active = propagation.setBaggage(setRPCMetadata(trace.setSpan(parent, span), metadata), baggage);
    return context.with(active, go, undefined, new Span(span, metadata));
  }

  // nested calls go with a new span within the active one.
  nested(name, go) {
    return this.tracer.startActiveSpan(name, (span) => go(new Span(span)));
  }

  // alone calls go with a span that nothing but the context knows.
  alone(request, go) {
    return this.tracer.startActiveSpan('alone', { root: true }, (span) => {
      request.start = startOf(span);
      return go(new Span(span));
    });
  }

  isActive(span) {
    return trace.getActiveSpan() === span.span;
  }
}

function startOf(span) {
  const [seconds, nanoseconds] = span.startTime;
  return String(BigInt(seconds) * 1000000000n + BigInt(nanoseconds));
}

class Span {
  constructor(span, metadata) {
    this.span = span;
    this.metadata = metadata;
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  setRoute(route) {
    this.metadata.route = route;
  }

  end() {
    this.span.end();
  }
}

module.exports = { register };
