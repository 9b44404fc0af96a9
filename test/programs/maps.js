'use strict';

// Threads by turns run functions of scripts that name a source map, each script loaded in another way (maps/kinds.js),
// and some twice, with another text and another map. The threads load them in one order, so that V8 gives all of them
// the same numbers in each.
//
//   node maps.js [FILE]
//
//   FOLDER       for the scripts, which is empty
//   THREADS      beside the main one (2)
//   KINDS        names of the ways, or all
//   DURATION_MS  how long to run (10000)
//   STOP         a file: run no longer than until it exists
//
// It prints "ready PID" on stderr, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"}]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// A stack is what the maps say of it, leaf first, without what called it.

const { once } = require('node:events');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { now } = require('./lib/clock');
const { number, stopped } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { kinds } = require('./maps/kinds');

const milliseconds = number('DURATION_MS', 10000);
const root = process.env.FOLDER;
const names = process.env.KINDS ? process.env.KINDS.split(',') : Object.keys(kinds);

// load loads the scripts of a thread, each way twice.
async function load(thread) {
  const all = [];
  for (const version of [0, 1]) {
    const id = `${thread}${version}`;
    for (const [i, kind] of names.entries()) {
      const first = 11 + 100 * i + 20 * (2 * thread + version);
      const where = { folder: `${root}/${id}`, shared: `${root}/shared`, version: id };
      all.push(await kinds[kind]({ ...where, name: `${kind}_${id}`, first }));
    }
  }
  return all;
}

// measure runs all scripts by turns, and returns the lines of the thread's log.
function measure(scripts, thread) {
  const intervals = new Intervals(100000, { stack: Uint16Array });
  const id = (i) => 1000 * thread + i;
  const watch = { now, start: 0n, end: 0n, x: 0 };
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline && !intervals.full && !stopped()) {
    scripts.forEach(({ run }, i) => {
      run(1e6, watch);
      intervals.columns.stack[intervals.add(watch.start, watch.end)] = id(i);
    });
  }
  const stacks = scripts.map(({ frames }, i) => JSON.stringify({ kind: 'stack', id: id(i), frames }) + '\n');
  return [...stacks, ...intervals.lines((row) => ({ stack: intervals.columns.stack[row] }))];
}

// startWorker resolves when a worker has loaded its scripts. Its run resolves to its log.
async function startWorker(thread) {
  const worker = new Worker(__filename, { workerData: thread });
  await once(worker, 'message');
  return async () => {
    worker.postMessage('run');
    return (await once(worker, 'message'))[0];
  };
}

async function main() {
  const workers = [];
  for (let thread = 1; thread <= number('THREADS', 2); thread++) workers.push(await startWorker(thread));
  const scripts = await load(0);
  ready();
  const logs = workers.map((run) => run());
  const own = measure(scripts, 0);
  write({}, own, ...await Promise.all(logs));
}

async function work() {
  const scripts = await load(workerData);
  parentPort.once('message', () => parentPort.postMessage(measure(scripts, workerData)));
  parentPort.postMessage('loaded');
}

if (isMainThread) main();
else work();
