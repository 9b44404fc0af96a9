'use strict';

// node --import hotspan/register, or --require: contexts without a change of the application. Each request that
// node:http serves has one; OpenTelemetry gives it ids, and a route; fastify gives it a route.

const { subscribe } = require('node:diagnostics_channel');
const { bindOpenTelemetry, enterWithContext, setRoute } = require('./index');

bindOpenTelemetry();
subscribe('http.server.request.start', () => enterWithContext({}));
subscribe('tracing:fastify.request.handler:start', ({ route }) => {
  if (route?.url) setRoute(route.url);
});
