'use strict';

// Requests compute, each endpoint in a function of its own, and call os.getPriority known numbers of times: that calls
// uv_os_getpriority, and does nothing else in the kernel. A busy request, which comes last, only calls it.
//
//   ROUNDS  of requests (25)
//   CALLS   of the busy request (20000)
//   GO      a file that makes them begin; before, there are warm ones, which only compute
//
// It prints "ready PID" on stderr when it starts, and at the end a line of JSON on stdout: by the endpoint in the store
// how often it called, and for how many milliseconds it had a CPU: computing, or the busy one calling. That is the time
// that passed without what it waited for a CPU. It ends after another second.

const fs = require('node:fs');
const os = require('node:os');
const { AsyncLocalStorage } = require('node:async_hooks');
const { number } = require('./lib/env');
const { had } = require('./lib/schedstat');

const rounds = number('ROUNDS', 25);
const busyCalls = number('CALLS', 20000);
const storage = new AsyncLocalStorage();
const endpoints = {
  search: { compute: multiply, calls: 3 },
  basket: { compute: rotate, calls: 7 },
  orders: { compute: divide, calls: 11 },
};
const done = {};

// They allocate next to nothing: in a collection the thread would wait for others.
function until(end, step) {
  let x = 1;
  do {
    for (let i = 0; i < 2000; i++) x = step(x, i);
  } while (performance.now() < end);
  return x;
}

function multiply(end) {
  return until(end, (x, i) => (Math.imul(x, 1664525) + i) | 0);
}

function rotate(end) {
  return until(end, (x, i) => ((x << 5) | (x >>> 27)) ^ i);
}

function divide(end) {
  return until(end, (x, i) => ((x + i) % 65521) | 0);
}

function callOften(times) {
  for (let i = 0; i < times; i++) os.getPriority();
}

function timed(endpoint, work) {
  const before = had();
  work();
  done[endpoint] ??= { called: 0, used: 0 };
  done[endpoint].used += had() - before;
}

function handle(endpoint, { compute, calls }) {
  storage.run({ endpoint }, () => {
    timed(endpoint, () => compute(performance.now() + 40));
    callOften(calls);
    done[endpoint].called += calls;
  });
}

function busy() {
  storage.run({ endpoint: 'busy' }, () => {
    timed('busy', () => callOften(busyCalls));
    done.busy.called += busyCalls;
  });
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {
  process.stderr.write(`ready ${process.pid}\n`);
  while (!fs.existsSync(process.env.GO)) {
    for (const { compute } of Object.values(endpoints)) {
      handle('warm', { compute, calls: 0 });
      await sleep(5);
    }
  }
  for (let i = 0; i < rounds; i++) {
    for (const [endpoint, request] of Object.entries(endpoints)) {
      handle(endpoint, request);
      await sleep(5);
    }
  }
  busy();
  delete done.warm;
  console.log(JSON.stringify(done));
  setTimeout(process.exit, 1000);
}

main();
