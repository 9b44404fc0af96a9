'use strict';

// Runs as the service called first, and then by execve, in the same process, as the one called second. Each is busy in
// a function of its own, for BUSY ms of CPU time, in requests of one trace, whose id is TRACE. Each appends a line of
// JSON to the file OUT: {"service","took"}, where took is for how many ms it was busy.

const { AsyncLocalStorage } = require('node:async_hooks');
const { appendFileSync } = require('node:fs');
const { cpuTime } = require('./lib/clock');
const { number } = require('./lib/env');

const requests = new AsyncLocalStorage();
const busy = number('BUSY', 750);
const service = process.env.OTEL_SERVICE_NAME;

function spin(end) {
  while (performance.now() < end);
}

function asFirst(end) {
  spin(end);
}

function asSecond(end) {
  spin(end);
}

function work(as) {
  const began = performance.now();
  for (const end = cpuTime() + busy; cpuTime() < end;) {
    requests.run({ trace: process.env.TRACE }, as, performance.now() + 20);
  }
  appendFileSync(process.env.OUT, JSON.stringify({ service, took: performance.now() - began }) + '\n');
}

setTimeout(() => {
  if (service !== 'first') return work(asSecond);
  work(asFirst);
  process.execve(process.execPath, process.argv, { ...process.env, OTEL_SERVICE_NAME: 'second' });
}, 1000);
