'use strict';

// Requests of two routes, of which one in three takes long: for each route there is one function that only those call.
// Each has OpenTelemetry's span, as instrumentation of an HTTP server makes it, with spans within it. Requests of no
// route have a span alone. Nothing that a profiler sees says which requests are slow.
//
//   node ages.js [FILE]
//
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//   SEED         of the random choices (1)
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end, as requests.js
// does, with these members of a label: request, trace_id, span_id, route, start, and began, CLOCK_MONOTONIC in
// nanoseconds before the span begins. The first interval of a request begins after that.

const { number, stopped } = require('./lib/env');
const { now } = require('./lib/clock');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Journal } = require('./requests/journal');
const { register } = require('./requests/tracing');

const deadline = performance.now() + number('DURATION_MS', 20000);
const below = random(number('SEED', 1));
const journal = new Journal(400000);
const tracing = register();
let requests = 0;

// What follows takes the CPU itself, so that samples are of these functions and not of one that all call.

function parseQuery(end) {
  let x = 1;
  do for (let i = 0; i < 4000; i++) x = (Math.imul(x, 1664525) + i) | 0; while (performance.now() < end);
  return x;
}

function renderPage(end) {
  let x = 2;
  do for (let i = 0; i < 4000; i++) x = (Math.imul(x, 1664525) + i) | 0; while (performance.now() < end);
  return x;
}

function rankEverything(end) {
  let x = 3;
  do for (let i = 0; i < 4000; i++) x = (Math.imul(x, 1664525) + i) | 0; while (performance.now() < end);
  return x;
}

function copyCart(end) {
  let x = 4;
  do for (let i = 0; i < 4000; i++) x = (Math.imul(x, 1664525) + i) | 0; while (performance.now() < end);
  return x;
}

const causes = { '/search': rankEverything, '/cart': copyCart, '': rankEverything };

function note(request, span, work, milliseconds) {
  const start = now();
  work(performance.now() + milliseconds);
  journal.add(start, now(), request, span);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, below(4)));

async function handle(request, span) {
  if (request.route) span.setRoute(request.route);
  note(request, span, parseQuery, 1 + below(3));
  await pause();
  // Of a request without a route only the active span is known: it stays the first one.
  if (request.slow && request.route) await tracing.nested('slow', (inner) => beSlow(request, inner));
  else if (request.slow) await beSlow(request, span);
  await pause();
  note(request, span, renderPage, 1 + below(3));
  span.end();
}

async function beSlow(request, span) {
  for (let i = 0; i < 16; i++) {
    note(request, span, causes[request.route], 2 + below(4));
    await pause();
  }
}

async function lane() {
  while (performance.now() < deadline && !journal.full && !stopped()) {
    const route = ['/search', '/cart', ''][below(3)];
    const request = { number: requests++, route, slow: below(3) === 0, method: 'GET', target: route, tenant: 0 };
    request.began = String(now());
    if (route) await tracing.serve(request, (span) => handle(request, span));
    else await tracing.alone(request, (span) => handle(request, span));
  }
}

async function main() {
  ready();
  await Promise.all([lane(), lane(), lane()]);
  write({ requests }, journal.lines());
}

main();
