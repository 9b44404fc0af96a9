'use strict';

const { trace } = require('@opentelemetry/api');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

// register sets the OpenTelemetry SDK up as a service does, except that finished spans go nowhere.
function register() {
  new NodeTracerProvider({ spanProcessors: [] }).register();
  return trace.getTracer('requests');
}

module.exports = { register };
