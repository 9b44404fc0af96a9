'use strict';

const fs = require('fs');

const schedstat = fs.openSync('/proc/thread-self/schedstat');
const text = Buffer.alloc(64);

// ready returns for how many milliseconds this thread has waited for a CPU since it began.
function ready() {
  return Number(text.latin1Slice(0, fs.readSync(schedstat, text, 0, 64, 0)).split(' ')[1]) / 1e6;
}

// had returns the milliseconds for which this thread could have had a CPU since some time: all that passes but for what
// it waits for one. It tries again where the thread has lost its CPU between the two clocks.
function had() {
  for (;;) {
    const before = performance.now();
    const waited = ready();
    if (performance.now() - before < 0.2) return before - waited;
  }
}

module.exports = { ready, had };
