'use strict';

// The main thread and two workers, "alpha" and "beta", each burn CPU in a function of their own for a few
// milliseconds, and are idle in between. Meanwhile the threads of libuv's pool compress and hash.
//
//   node idle_workers.js [FILE]
//
//   DURATION_MS  how long to run (10000)
//   STOP         a file: run no longer than until it exists
//
// It prints "ready PID" on stderr when all threads run, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"thread","tid","name","comm","cpu":ns}            every thread of the process, in the order of their ids:
//                          comm as the kernel has it at the end, cpu the time it ran on a processor between ready and
//                          the end (from schedstat; 0 for a kernel without it); name main, alpha, beta or ""
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"}]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// A stack is leaf first: the leaf lies between its first and last line, the caller at its call site.

const { number } = require('./lib/env');
const { ready, write } = require('./lib/output');
const { cpuTimes, threadLines } = require('./workers/threads');
const { startWorker } = require('./workers/start');
const { busyPool } = require('./workers/pool');
const { runThread } = require('./workers/thread');

const milliseconds = number('DURATION_MS', 10000);

async function main() {
  const workers = await Promise.all([startWorker('alpha', 1), startWorker('beta', 2)]);
  ready();
  const before = cpuTimes();
  const pool = busyPool(milliseconds);
  const logs = [runThread('main', 0, milliseconds), ...workers.map((worker) => worker.run(milliseconds))];
  const done = await Promise.all(logs);
  await pool;
  write({}, threadLines(before, done), ...done.map((log) => log.lines));
  for (const worker of workers) worker.stop();
}

main();
