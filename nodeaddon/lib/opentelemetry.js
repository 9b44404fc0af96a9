'use strict';

const { fieldsOf } = require('./bytes');
const { storage, create, change } = require('./storage');

// Where OpenTelemetry's API keeps what is registered, and the keys of its contexts. (@opentelemetry/api,
// src/internal/global-utils.ts and src/trace/context-utils.ts; @opentelemetry/core, src/trace/rpc-metadata.ts)
const API = Symbol.for('opentelemetry.js.api.1');
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
const RPC = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

const bound = new WeakSet(); // context managers
const bySpan = new WeakMap(); // {from, context}: the context of a span within another context
const requests = new WeakMap(); // {metadata, watched, contexts}, by the metadata of an HTTP request

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
    const request = requestOf(active);
    const current = storage.getStore();
    const context = within(active, current, request?.metadata.route);
    if (context) request?.contexts.add(context);
    if (context === current) return before.call(this, active, fn, thisArg, ...args);
    return storage.run(context, () => before.call(this, active, fn, thisArg, ...args));
  };
}

// within is the context for the active span of OpenTelemetry's context, with the labels of another context.
function within(active, from, route) {
  const span = active.getValue(SPAN);
  const ids = span?.spanContext();
  if (ids?.spanId === from?.value?.spanId && ids?.traceId === from?.value?.traceId) return from;
  const known = span && bySpan.get(span);
  if (known && known.from === from) return known.context;
  const value = { ...fieldsOf(from?.value), traceId: ids?.traceId, spanId: ids?.spanId, traceFlags: ids?.traceFlags };
  value.route = route ?? value.route;
  const context = create(value);
  for (const name in from?.changes) change(context, name, from.changes[name]);
  if (span) bySpan.set(span, { from, context });
  return context;
}

// requestOf is what is known of the HTTP request of OpenTelemetry's context. An instrumentation sets the route, once or
// several times, in the metadata that the context gives it: it gets an object in place of these, which has the contexts
// changed too. The metadata themselves stay what they are for readers outside the process.
function requestOf(active) {
  const metadata = active.getValue(RPC);
  if (!metadata) return undefined;
  let request = requests.get(metadata);
  if (!request) {
    request = { metadata, watched: undefined, contexts: new Set() };
    request.watched = new Proxy(metadata, { set: (target, name, value) => changed(request, name, value) });
    requests.set(metadata, request);
    requests.set(request.watched, request);
  }
  if (metadata !== request.watched) {
    const { getValue } = active;
    active.getValue = (key) => (key === RPC ? request.watched : getValue.call(active, key));
  }
  return request;
}

function changed({ metadata, contexts }, name, value) {
  metadata[name] = value;
  if (name === 'route') for (const context of contexts) change(context, 'http.route', value);
  return true;
}

module.exports = { bindOpenTelemetry };
