'use strict';

const { storage, Context } = require('./storage');

// Where OpenTelemetry's API keeps what is registered, and the keys of its contexts. (@opentelemetry/api,
// src/internal/global-utils.ts and src/trace/context-utils.ts; @opentelemetry/core, src/trace/rpc-metadata.ts)
const API = Symbol.for('opentelemetry.js.api.1');
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
const RPC = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

const bound = new WeakSet(); // context managers
const bySpan = new WeakMap(); // {from, context}: the context of a span within another context
const requests = new WeakMap(); // the contexts that get the route of an HTTP request, by its metadata

// bindOpenTelemetry has its documentation in index.d.ts.
function bindOpenTelemetry() {
  watch(globalThis, API, (api) => watch(api, 'context', bind));
}

// watch calls seen with the value that a property has or gets.
function watch(object, name, seen) {
  let value = object[name];
  if (value) seen(value);
  const set = (next) => {
    value = next;
    if (next) seen(next);
  };
  Object.defineProperty(object, name, { get: () => value, set, enumerable: true, configurable: true });
}

// bind wraps the only method by which a context manager makes a context current.
function bind(manager) {
  if (bound.has(manager)) return;
  bound.add(manager);
  const before = manager.with;
  manager.with = function (active, fn, thisArg, ...args) {
    const context = within(active, storage.getStore());
    if (context === storage.getStore()) return before.call(this, active, fn, thisArg, ...args);
    return storage.run(context, () => before.call(this, active, fn, thisArg, ...args));
  };
}

// within is the context for the active span of OpenTelemetry's context, with the labels of another context.
function within(active, from) {
  const span = active.getValue(SPAN);
  const ids = span?.spanContext();
  if (ids?.spanId === from?.value.spanId && ids?.traceId === from?.value.traceId) return from;
  const known = span && bySpan.get(span);
  if (known && known.from === from) return known.context;
  const metadata = active.getValue(RPC);
  const value = { ...from?.value, traceId: ids?.traceId, spanId: ids?.spanId, traceFlags: ids?.traceFlags };
  value.route = metadata?.route ?? value.route;
  const context = new Context(value);
  for (const name in from?.changes) context.set(name, from.changes[name]);
  if (span) bySpan.set(span, { from, context });
  if (metadata) follow(metadata, context);
  return context;
}

// follow gives a context the route of its request as soon as a framework knows it.
function follow(metadata, context) {
  const contexts = requests.get(metadata);
  if (contexts) {
    contexts.push(context);
    return;
  }
  const list = [context];
  requests.set(metadata, list);
  let { route } = metadata;
  const set = (next) => {
    route = next;
    for (const c of list) c.set('http.route', next);
  };
  Object.defineProperty(metadata, 'route', { get: () => route, set, enumerable: true, configurable: true });
}

module.exports = { bindOpenTelemetry };
