'use strict';

// What any service with OpenTelemetry has: the SDK, and the instrumentation of http and Express. Loaded before all
// else (node --require ./tracing.js). Finished spans are only counted, so that the example needs no collector.

const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

class CountingProcessor {
  finished = 0;

  onStart() {}

  onEnd() {
    this.finished++;
  }

  async forceFlush() {}

  async shutdown() {}
}

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'hotspan-example' }),
  spanProcessors: [new CountingProcessor()],
});
provider.register();
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] });
