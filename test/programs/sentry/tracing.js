'use strict';

const Sentry = require(process.env.TRACER === 'sentry 10' ? 'sentry-10' : '@sentry/node');
const { traceparent } = require('../requests/request');

// register sets Sentry up as a service does, except that nothing leaves the process.
function register() {
  const transport = () => ({ send: async () => ({}), flush: async () => true });
  Sentry.init({ dsn: 'http://key@127.0.0.1/1', tracesSampleRate: 1, defaultIntegrations: false, transport });
  return new Tracing();
}

// Tracing does what Sentry's instrumentation of an HTTP server does. A request that comes in without a trace has a new
// one.
class Tracing {
  serve(request, go) {
    const begin = () => this.nested(request.method, go);
    if (!request.remote) return Sentry.startNewTrace(begin);
    const [, trace, span] = traceparent().split('-');
    return Sentry.continueTrace({ sentryTrace: `${trace}-${span}-1` }, begin);
  }

  nested(name, go) {
    return Sentry.startSpanManual({ name }, (span) => go(new Span(span)));
  }

  isActive(span) {
    return Sentry.getActiveSpan() === span.span;
  }
}

class Span {
  constructor(span) {
    this.span = span;
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  setRoute() {}

  end() {
    this.span.end();
  }
}

module.exports = { register };
