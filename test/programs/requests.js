'use strict';

// Sixteen requests at a time, interleaved through every kind of continuation that Node has, each with
// OpenTelemetry spans and an own AsyncLocalStorage named "app". Every stretch of code that burns CPU writes down
// whose it was. What it writes comes from variables handed from function to function, never from a store.
//
// Half of the requests come over HTTP.
//
//   node [--max-semi-space-size=1] requests.js [FILE]
//
// Node 22 needs --experimental-async-context-frame to have the stores in an AsyncContextFrame, and Node 24 and later
// --no-async-context-frame to have them in the resources of async_hooks.
//
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//   LANES        requests at a time (16)
//   BURN_US      how many microseconds a stretch of code burns CPU (1000 to 4000, at random)
//   MODE         plain, or gc: the code allocates much and some of it survives; --max-semi-space-size=1 (MB) makes
//                that many collections
//   STORES       plain: all app stores have one hidden class; mixed: also wide ones and dictionaries; dictionary:
//                all of them; map: they are Maps
//   TRACER       opentelemetry (SDK 2, on Node 16 1.30), "opentelemetry 3", sentry (11), "sentry 10",
//                datadog (dd-trace 6), or "datadog 5" (5.107)
//   SEED         of the random choices (1)
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node","mode","stores","requests","remote"}    the last two are counts
//   {"kind":"clock","mono":ns,"unix":ns}       both clocks at one instant; at the start and at the end
//   {"kind":"interval","start":ns,"end":ns,"tid","label":{…}}                       times are CLOCK_MONOTONIC
//
// label is absent where the code belongs to no request, else it has
//   request   number of the request
//   endpoint  store.endpoint           tenant  store.user.tenant           user  store.user.id (a string)
//   premium   store.premium, a boolean. The tenant is in OpenTelemetry's baggage, too
//   trace_id, span_id                  of the active span
//   route     RPC metadata's route: what should be http.route; absent where the request has none
//   method, target                     of the server span
//   start     when the span of the request began, in nanoseconds since 1970, as a text
//   remote    true where the trace id came in with a traceparent header
//   shape     fast, wide, dictionary or map: how the app store is laid out

const { number, choice, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Journal } = require('./requests/journal');
const { newRequest, shapes } = require('./requests/request');
const { serve } = require('./requests/serve');
const { front } = require('./requests/front');
const { burnUnlabelled } = require('./requests/work');

const mode = choice('MODE', ['plain', 'gc']);
const stores = choice('STORES', Object.keys(shapes));
const tracings = {
  opentelemetry: './requests/tracing', 'opentelemetry 3': './requests/tracing',
  sentry: './sentry/tracing', 'sentry 10': './sentry/tracing',
  datadog: './datadog/tracing', 'datadog 5': './datadog/tracing',
};
const { register } = require(tracings[choice('TRACER', Object.keys(tracings))]);
const deadline = performance.now() + number('DURATION_MS', 20000);
const below = random(number('SEED', 1));
const tracing = register();
const journal = new Journal(400000);
const counts = { requests: 0, remote: 0 };

function running() {
  return performance.now() < deadline && !journal.full && !stopped();
}

const handle = (request) => serve({ tracing, journal, mode, below }, request);

async function lane(ask) {
  while (running()) {
    const request = newRequest(counts.requests++, stores, below);
    if (request.remote) counts.remote++;
    await (request.number % 2 === 0 ? ask(request) : handle(request));
  }
}

// Code of no request: a timer that was started where there is no context.
function betweenRequests() {
  burnUnlabelled(journal, 1);
  if (running()) setTimeout(betweenRequests, 10);
}

async function main() {
  ready();
  setTimeout(betweenRequests, 10);
  const { ask, close } = await front(handle);
  await Promise.all(Array.from({ length: number('LANES', 16) }, () => lane(ask)));
  close();
  write({ mode, stores, ...counts }, journal.lines());
}

main();
