'use strict';

// Runs as the service called first, and then by execve, in the same process, as the one called second. Each is busy for
// BUSY ms in a function of its own, in requests of one trace, whose id is TRACE.

const { AsyncLocalStorage } = require('node:async_hooks');
const { number } = require('./lib/env');

const requests = new AsyncLocalStorage();
const busy = number('BUSY', 1500);

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
  for (const end = performance.now() + busy; performance.now() < end;) {
    requests.run({ trace: process.env.TRACE }, as, Math.min(performance.now() + 20, end));
  }
}

setTimeout(() => {
  if (process.env.OTEL_SERVICE_NAME !== 'first') return work(asSecond);
  work(asFirst);
  process.execve(process.execPath, process.argv, { ...process.env, OTEL_SERVICE_NAME: 'second' });
}, 1000);
