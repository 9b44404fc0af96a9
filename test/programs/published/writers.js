'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { encode } = require('./process_context');

// A writer has
//   start(publish)            before the first request; publish(payload) publishes a process context
//   run(ids, attributes, fn)  calls fn in a new context, whose continuations keep it
//   check(ids)                whether the running code is in the context of these ids, as the writer itself knows
//   end(ids)                  the context's span has ended: from now on it says nothing
// ids is {traceId, spanId}, in hexadecimal; attributes maps keys to strings.

const keys = ['http.route', 'endpoint', 'tenant', 'user'];

// datadog is the writer of @datadog/pprof. Of the contexts every third gets its attributes when it is there already.
function datadog(version) {
  const { otelThreadCtx } = require(`pprof-${version}`);
  const { ThreadContext, getContext, getProcessContextAttributes } = otelThreadCtx;
  let count = 0;
  return {
    start(publish) {
      publish(encode({ 'service.name': 'published', 'service.version': version }, getProcessContextAttributes(keys)));
    },
    run(ids, attributes, fn) {
      const list = keys.map((key) => attributes[key]);
      const later = ++count % 3 === 0;
      const bytes = [ids.traceId, ids.spanId].map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
      if (version !== '5.18') bytes.push(1); // trace flags
      ids.context = new ThreadContext(...bytes, later ? undefined : list);
      if (later) ids.context.appendAttributes(list);
      return ids.context.run(fn);
    },
    check: (ids) => getContext() === ids.context,
    end: (ids) => ids.context.invalidate(),
  };
}

// customLabels publishes as Polar Signals' package does, by an add-on that the test has built.
function customLabels(addon) {
  const storage = new AsyncLocalStorage();
  return {
    start() {
      addon.storeHash(storage);
    },
    run(ids, attributes, fn) {
      const labels = { trace_id: ids.traceId, span_id: ids.spanId, ...attributes };
      ids.context = new addon.ClWrap(Object.entries(labels).flat());
      return storage.run(ids.context, fn);
    },
    check: (ids) => storage.getStore() === ids.context,
    end: () => storage.enterWith(undefined),
  };
}

// writer is the one of a name.
function writer(name) {
  if (name === 'custom-labels') return customLabels(require(process.env.LABELS_ADDON));
  return datadog(name.replace('pprof-', ''));
}

module.exports = { writer };
