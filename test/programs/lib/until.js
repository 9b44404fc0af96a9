'use strict';

// until tells a program for how long to run: DURATION_MS milliseconds at most, or until SIGTERM.
function until(fallback, onStop = () => {}) {
  const end = performance.now() + Number(process.env.DURATION_MS || fallback);
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    onStop();
  };
  const timer = setTimeout(stop, end - performance.now());
  process.once('SIGTERM', stop);
  return { running: () => !stopped && performance.now() < end };
}

module.exports = { until };
