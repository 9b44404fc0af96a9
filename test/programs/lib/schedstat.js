'use strict';

const fs = require('fs');

const schedstat = fs.openSync('/proc/thread-self/schedstat');
const text = Buffer.alloc(64);

// running returns milliseconds since some time that this thread has spent on a CPU, and has waited for one. Linux
// brings the first up to date for getrusage (kernel/sched/cputime.c, thread_group_cputime), which process.cpuUsage
// calls. It is without the time of interrupts, and of other virtual machines.
function running() {
  process.cpuUsage();
  const [onCPU, ready] = text.latin1Slice(0, fs.readSync(schedstat, text, 0, 64, 0)).split(' ');
  return { onCPU: Number(onCPU) / 1e6, ready: Number(ready) / 1e6 };
}

// had returns the milliseconds for which this thread could have had a CPU since some time: all that passes but for what
// it waits for one. It tries again where the thread has lost its CPU between the two clocks.
function had() {
  for (;;) {
    const before = performance.now();
    const { ready } = running();
    if (performance.now() - before < 0.2) return before - ready;
  }
}

module.exports = { running, had };
