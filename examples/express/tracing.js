'use strict';

// What any service with OpenTelemetry has: the SDK, and the instrumentation of http and Express. Loaded before all
// else (node --require ./tracing.js). If OTEL_EXPORTER_OTLP_ENDPOINT names a Collector, finished spans go there; else
// they are only counted, so that the example needs none.

const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

class CountingProcessor {
  finished = 0;

  onStart() {}

  onEnd() {
    this.finished++;
  }

  async forceFlush() {}

  async shutdown() {}
}

function processor() {
  if (!process.env.OTEL_EXPORTER_OTLP_ENDPOINT) return new CountingProcessor();
  const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
  return new BatchSpanProcessor(new OTLPTraceExporter());
}

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'hotspan-example' }),
  spanProcessors: [processor()],
});
provider.register();
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] });
process.once('beforeExit', () => provider.shutdown());
