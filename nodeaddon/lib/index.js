'use strict';

// Several copies of the package share the contexts of the first one: a continuation has one context.
const key = Symbol.for('hotspan.1');

if (!globalThis[key]) {
  const { bindOpenTelemetry } = require('./opentelemetry');
  Object.defineProperty(globalThis, key, { value: Object.freeze({ ...require('./api'), bindOpenTelemetry }) });
}

module.exports = globalThis[key];
