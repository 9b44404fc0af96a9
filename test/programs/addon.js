'use strict';

// Eight requests at a time, interleaved through every kind of continuation, whose contexts the npm package hotspan has.
// Every stretch of code that burns CPU writes down whose it was.
//
//   node [--max-semi-space-size=1] addon.js [FILE]
//
//   HOTSPAN      the folder of the installed package
//   FORM         record or text: how the package is to publish contexts here
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//   THREAD       main, or worker: all of it runs in a worker
//   MODE         plain, or gc: the code allocates much and some of it survives
//   SEED         of the random choices (1)
//   SESSION      the socket of an agent, by which it takes a profile of itself
//   SAMPLES      the file for the samples of that
//
// It prints "ready PID" on stderr when it starts, and writes what requests.js does at the end.

const { Worker, isMainThread } = require('node:worker_threads');
const { number, choice, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Journal } = require('./requests/journal');
const { newRequest } = require('./requests/request');
const { serve } = require('./addon/serve');
const { startPool } = require('./addon/continuations');
const { startSession } = require('./addon/session');

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
  const hotspan = require(process.env.HOTSPAN);
  if (hotspan.form !== process.env.FORM) throw new Error(`contexts are published as ${hotspan.form}`);
  run = { mode, hotspan, below: random(number('SEED', 1)), journal: new Journal(400000) };
  const stopPool = startPool();
  const { SESSION, SAMPLES } = process.env;
  const stopSession = SESSION ? await startSession(hotspan, SESSION, SAMPLES) : () => {};
  ready();
  await Promise.all(Array.from({ length: 8 }, lane));
  stopPool();
  await stopSession();
  write({ mode, requests }, run.journal.lines());
}

if (thread === 'worker' && isMainThread) new Worker(__filename, { argv: process.argv.slice(2) });
else main();
