'use strict';

// Several copies of the package share the contexts of the first one: a continuation has one context.
const key = Symbol.for('hotspan.1');

if (!globalThis[key]) {
  const { bindOpenTelemetry } = require('./opentelemetry');
  // node:http is loaded only then. (A Worker of Node 18 that is terminated while it loads it may run on for ever.)
  const startProfile = (options) => require('./session').startProfile(options);
  const value = Object.freeze({ ...require('./api'), bindOpenTelemetry, startProfile });
  Object.defineProperty(globalThis, key, { value });
}

module.exports = globalThis[key];
