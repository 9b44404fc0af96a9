'use strict';

// Two workers at a time run for half a second, one with the code of even.js, one with that of odd.js, and then the next
// two do. V8 numbers the scripts of each worker from 1: the same number is another file there.
//
//   node other_files.js [FILE]
//
//   DURATION_MS  how long to run (10000)
//   STOP         a file: run no longer than until it exists
//
// It prints "ready PID" on stderr when it runs, and writes JSON lines to FILE or stdout at the end, as idle_workers.js.

const { number, stopped } = require('./lib/env');
const { ready, write } = require('./lib/output');
const { startWorker } = require('./workers/start');

const deadline = performance.now() + number('DURATION_MS', 10000);

async function main() {
  const lines = [];
  ready();
  for (let n = 1; performance.now() < deadline && !stopped(); n += 2) {
    const names = n % 4 === 1 ? ['even', 'odd'] : ['odd', 'even'];
    const workers = await Promise.all(names.map((name, i) => startWorker(name, n + i)));
    const done = await Promise.all(workers.map((worker) => worker.run(500)));
    lines.push(...done.map((log) => log.lines));
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  write({}, ...lines);
}

main();
