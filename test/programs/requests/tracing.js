'use strict';

const { trace } = require('@opentelemetry/api');

// Node 16 takes the SDK's versions 1.x only.
const sdk = parseInt(process.versions.node) < 18 ? '-1' : '';
const { NodeTracerProvider } = require(`@opentelemetry/sdk-trace-node${sdk}`);
const { RPCType, setRPCMetadata } = require(`@opentelemetry/core${sdk}`);

// register sets the OpenTelemetry SDK up as a service does, except that finished spans go nowhere.
function register() {
  new NodeTracerProvider({ spanProcessors: [] }).register();
  return trace.getTracer('requests');
}

module.exports = { register, RPCType, setRPCMetadata };
