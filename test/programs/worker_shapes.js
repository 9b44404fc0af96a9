'use strict';

// Worker threads, one after the other, each of which runs one request in an AsyncLocalStorage. Those with an even
// number have another property first than those with an odd one. Where their hidden classes come to one address, which
// happens since V8 uses the pages of an isolate again, they are told apart by nothing else.
//
//   node worker_shapes.js [WORKERS]
//
// endpoint is "endpoint N", tenant "tenant N", where N is the number of the worker modulo 2.

const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { AsyncLocalStorage } = require('node:async_hooks');

const runFor = 60; // milliseconds

async function runWorkers(n) {
  for (let i = 0; i < n; i++) {
    await new Promise((ended) => new Worker(__filename, { workerData: i % 2 }).on('exit', ended));
  }
}

function request(n) {
  const endpoint = `endpoint ${n}`;
  const tenant = `tenant ${n}`;
  // as long as each other, so that all that comes after has the same place
  const store = new Function('endpoint', 'tenant', n ? 'return { endpoint, tenant }' : 'return { tenant, endpoint }');
  new AsyncLocalStorage().run(store(endpoint, tenant), () => {
    const until = Date.now() + runFor;
    while (Date.now() < until) for (let i = 0; i < 1e4; i++);
  });
}

if (isMainThread) runWorkers(Number(process.argv[2] ?? 100));
else request(workerData);
