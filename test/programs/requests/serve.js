'use strict';

const { app, storeOf } = require('./request');
const { continuations } = require('./continuations');
const { burn } = require('./work');

// serve runs one request from its first code to its last, as the instrumented HTTP server does: the route is set when
// the router has found it.
function serve(run, request) {
  return app.run(storeOf(request), () => run.tracing.serve(request, (span) => handle(run, request, span)));
}

async function handle(run, request, span) {
  if (request.route) span.setRoute(request.route);
  burn(run, request, span);
  const steps = 3 + run.below(5);
  for (let i = 0; i < steps; i++) await step(run, request, span, 0);
  span.end();
}

// step goes on later, either in the span it is in or in a new one within it.
async function step(run, request, span, depth) {
  const goOn = continuations[run.below(continuations.length)];
  await goOn(() => burn(run, request, span));
  if (depth < 3 && run.below(3) === 0) await nested(run, request, depth);
  if (run.below(2) === 0) burn(run, request, span);
}

function nested(run, request, depth) {
  return run.tracing.nested(`step ${depth}`, async (span) => {
    burn(run, request, span);
    await step(run, request, span, depth + 1);
    span.end();
  });
}

module.exports = { serve };
