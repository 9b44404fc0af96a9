'use strict';

// Six endpoints and six functions use CPU time in shares that differ, from 1 of 63 to 32 of 63: a request of a random
// endpoint runs a random function for as long as the two weigh together. The program reads how much CPU time it has
// used before and after, so that waiting for a processor does not count.
//
//   node --single-threaded shares.js [FILE]
//
// --single-threaded makes V8 collect and compile on the main thread, so that all CPU time is that thread's. (There is
// no better clock: Linux brings the one of a single thread, process.threadCpuUsage, up to date at ticks only.)
// Node 22 needs --experimental-async-context-frame to have the stores in an AsyncContextFrame.
//
//   DURATION_MS  how long to run (10000)
//   STOP         a file: run no longer than until it exists
//   SEED         of the random choices (1)
//   HEAVIER      the function that does three times as much as it would (none)
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"}]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id,"cpu":ns,"label":{"endpoint"}}
//
// start and end are CLOCK_MONOTONIC, cpu is the CPU time used in between. The stack has the function only. The store of
// a request is {endpoint}.

const { AsyncLocalStorage } = require('node:async_hooks');
const { number, stopped } = require('./lib/env');
const { cpuTime, now } = require('./lib/clock');
const { Intervals } = require('./lib/intervals');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { burners, file } = require('./shares/burners');

const deadline = performance.now() + number('DURATION_MS', 10000);
const below = random(number('SEED', 1));
const storage = new AsyncLocalStorage();
const endpoints = ['search', 'checkout', 'orders', 'login', 'report', 'health'];
const intervals = new Intervals(200000, { endpoint: Int32Array, burner: Int32Array, cpu: Float64Array });
const turnsPerWeight = 1500;
const heavier = process.env.HEAVIER;

function burn(endpoint, burner) {
  const turns = (turnsPerWeight << endpoint << burner) * (burners[burner].name === heavier ? 3 : 1);
  const before = cpuTime();
  const start = now();
  burners[burner](turns);
  const row = intervals.add(start, now());
  if (row < 0) return;
  intervals.columns.cpu[row] = Math.round((cpuTime() - before) * 1e6);
  intervals.columns.endpoint[row] = endpoint;
  intervals.columns.burner[row] = burner;
}

async function request(endpoint) {
  await null;
  burn(endpoint, below(burners.length));
}

async function main() {
  ready();
  for (let i = 0; performance.now() < deadline && !intervals.full; i++) {
    const endpoint = below(endpoints.length);
    await storage.run({ endpoint: endpoints[endpoint] }, request, endpoint);
    if (i % 50 !== 0) continue;
    if (stopped()) break;
    await new Promise(setImmediate);
  }
  write({}, stacks(), intervals.lines(describe));
}

function* stacks() {
  for (const [id, burner] of burners.entries()) {
    const frames = [{ function: burner.name, file, first: 1, last: 1 << 20 }];
    yield JSON.stringify({ kind: 'stack', id, frames }) + '\n';
  }
}

function describe(row) {
  const { burner, cpu, endpoint } = intervals.columns;
  return { stack: burner[row], cpu: cpu[row], label: { endpoint: endpoints[endpoint[row]] } };
}

main();
