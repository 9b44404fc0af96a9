'use strict';

const { ROOT_CONTEXT, SpanKind, context, propagation, trace } = require('@opentelemetry/api');
const { RPCType, setRPCMetadata } = require('./tracing');
const { app, storeOf, traceparent } = require('./request');
const { continuations } = require('./continuations');
const { burn } = require('./work');

// serve runs one request from its first code to its last, as the instrumented HTTP server does: a server span,
// RPC metadata beside it, and the route set when the router has found it.
function serve(run, request) {
  const parent = request.remote ? propagation.extract(ROOT_CONTEXT, { traceparent: traceparent() }) : ROOT_CONTEXT;
  const attributes = { 'http.request.method': request.method, 'url.path': request.target };
  const span = run.tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
  const metadata = { type: RPCType.HTTP, span };
  const active = setRPCMetadata(trace.setSpan(parent, span), metadata);
  return app.run(storeOf(request), () => context.with(active, handle, undefined, run, request, span, metadata));
}

async function handle(run, request, span, metadata) {
  if (request.route) metadata.route = request.route;
  burn(run, request, span.spanContext());
  const steps = 3 + run.below(5);
  for (let i = 0; i < steps; i++) await step(run, request, span, 0);
  span.end();
}

// step goes on later, either in the span it is in or in a new one within it.
async function step(run, request, span, depth) {
  const goOn = continuations[run.below(continuations.length)];
  await goOn(() => burn(run, request, span.spanContext()));
  if (depth < 3 && run.below(3) === 0) await nested(run, request, depth);
  if (run.below(2) === 0) burn(run, request, span.spanContext());
}

function nested(run, request, depth) {
  return run.tracer.startActiveSpan(`step ${depth}`, async (span) => {
    burn(run, request, span.spanContext());
    await step(run, request, span, depth + 1);
    span.end();
  });
}

module.exports = { serve };
