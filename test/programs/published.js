'use strict';

// Eight requests at a time, interleaved through every kind of continuation that Node has, whose contexts are published
// for readers outside the process. Every stretch of code that burns CPU writes down whose it was.
//
//   node [--max-semi-space-size=1] published.js [FILE]
//
// Node 22 needs --experimental-async-context-frame.
//
//   WRITER         pprof-5.18, pprof-5.19 or pprof-5.20 (@datadog/pprof), or custom-labels
//   PUBLISH_ADDON  what publishes a process context: ../e2e/testdata/publish.c, built
//   LABELS_ADDON   for custom-labels: ../e2e/testdata/custom_labels.cc, built
//   DURATION_MS    how long to run (20000)
//   STOP           a file: run no longer than until it exists
//   THREAD         main, or worker: all of it runs in a worker
//   MODE           plain, or gc: the code allocates much and some of it survives
//   SEED           of the random choices (1)
//
// It prints "ready PID" on stderr when it starts, and writes what requests.js does at the end. Where the label is
// absent no context is valid.

const { Worker, isMainThread } = require('node:worker_threads');
const { number, choice, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Journal } = require('./requests/journal');
const { newRequest } = require('./requests/request');
const { serve } = require('./published/serve');
const { writer } = require('./published/writers');

const thread = choice('THREAD', ['main', 'worker']);
const mode = choice('MODE', ['plain', 'gc']);
const deadline = performance.now() + number('DURATION_MS', 20000);
let run;
let requests = 0;

async function lane() {
  while (performance.now() < deadline && !stopped() && !run.journal.full) {
    await serve(run, newRequest(requests++, 'plain', run.below));
  }
}

async function main() {
  const { publish } = require(process.env.PUBLISH_ADDON);
  run = { mode, below: random(number('SEED', 1)), journal: new Journal(400000), writer: writer(process.env.WRITER) };
  run.writer.start(publish);
  ready();
  await Promise.all(Array.from({ length: 8 }, lane));
  write({ mode, requests }, run.journal.lines());
}

if (thread === 'worker' && isMainThread) new Worker(__filename, { argv: process.argv.slice(2) });
else main();
