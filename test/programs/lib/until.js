'use strict';

const { parentPort } = require('node:worker_threads');

// until tells a program for how long to run: DURATION_MS milliseconds at most, or until SIGTERM; in a worker, until its
// parent says anything.
function until(fallback, onStop = () => {}) {
  const end = performance.now() + Number(process.env.DURATION_MS || fallback);
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    onStop();
  };
  const timer = setTimeout(stop, end - performance.now());
  if (!parentPort) process.once('SIGTERM', stop);
  parentPort?.once('message', stop).unref();
  return { running: () => !stopped && performance.now() < end };
}

module.exports = { until };
