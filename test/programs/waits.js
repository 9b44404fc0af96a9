'use strict';

// Requests wait in known functions: for another thread, for a child process, for what comes out of a pipe, for a page
// of memory, each on the main thread, and the first in a Worker too. Others compute. How long, the kernel says, by its
// task clock and by proc_pid_schedstat: they wait for what passes without the time on a CPU and the time that the
// thread waited for one.
//
//   ROUNDS  of requests (10)
//   PAGES   an add-on whose touch() waits for a page
//   CLOCK   an add-on whose ran() reads the task clock of the thread
//   GO      a file that makes them begin; before, there are warm ones. Beside it the pipe is made
//
// It prints "ready PID" on stderr when it starts, and at the end a line of JSON on stdout: by the endpoint in the store
// how long they waited at least and at most, and how long they were on a CPU, in milliseconds. It ends after another
// second.

const fs = require('node:fs');
const { execFileSync, spawn } = require('node:child_process');
const { AsyncLocalStorage } = require('node:async_hooks');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { cpuTime } = require('./lib/clock');
const { number } = require('./lib/env');
const { ready } = require('./lib/schedstat');

const rounds = number('ROUNDS', 10);
const storage = new AsyncLocalStorage();
const cell = new Int32Array(new SharedArrayBuffer(4));
const waited = {};
let writer, pipe;

const waitForThread = () => Atomics.wait(cell, 0, 0, 37);
const { ran } = require(process.env.CLOCK);
const { touch } = isMainThread ? require(process.env.PAGES) : {};
const waitForPage = () => touch();
const waitForChild = () => execFileSync('sleep', ['0.05']);
const computeFor = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); };
const compute = () => { for (const end = cpuTime() + 40; cpuTime() < end;) computeFor(5); };
const waitForPipe = () => { writer.stdin.write('\n'); fs.readSync(pipe, Buffer.alloc(1)); };

const clocks = () => ({ onCPU: ran(), ready: ready() });

// The clocks cannot be read at once: the thread may lose its CPU in between. So there is a least and a most. Linux also
// takes waiting for readiness to run, of a thread that it moves from a busy CPU to another meanwhile: a Worker that
// waits for 37 ms has then waited for less. So a thread has waited while it did not run, at most.
function handle(endpoint, wait) {
  storage.run({ endpoint }, () => {
    const before = performance.now();
    const first = clocks();
    const began = performance.now();
    wait();
    const ended = performance.now();
    const last = clocks();
    const after = performance.now();
    if (endpoint === 'warm') return;
    const onCPU = last.onCPU - first.onCPU;
    const meanwhile = onCPU + last.ready - first.ready;
    waited[endpoint] ??= { least: 0, most: 0, onCPU: 0 };
    waited[endpoint].least += ended - began - meanwhile;
    waited[endpoint].most += after - before - onCPU;
    waited[endpoint].onCPU += onCPU;
  });
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function round(all) {
  for (const [endpoint, wait] of all) {
    handle(endpoint, wait);
    await sleep(7);
  }
}

async function warm(all) {
  while (!fs.existsSync(process.env.GO)) await round(all.map(([, wait]) => ['warm', wait]));
}

async function main() {
  const fifo = `${process.env.GO}.pipe`;
  execFileSync('mkfifo', [fifo]);
  writer = spawn('sh', ['-c', `while read line; do sleep 0.03; echo; done > ${fifo}`], { stdio: 'pipe' });
  pipe = fs.openSync(fifo);
  const worker = new Worker(__filename);
  const ended = new Promise((resolve) => worker.once('message', resolve));
  const all = [['thread', waitForThread], ['child', waitForChild], ['pipe', waitForPipe], ['page', waitForPage],
    ['compute', compute]];
  process.stderr.write(`ready ${process.pid}\n`);
  await warm(all);
  for (let i = 0; i < rounds; i++) await round(all);
  Object.assign(waited, await ended);
  console.log(JSON.stringify(waited));
  writer.kill();
  setTimeout(process.exit, 1000);
}

async function inWorker() {
  const all = [['worker', waitForThread]];
  await warm(all);
  for (let i = 0; i < 3 * rounds; i++) await round(all);
  parentPort.postMessage(waited);
}

if (isMainThread) main();
else inWorker();
