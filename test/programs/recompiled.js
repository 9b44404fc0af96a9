'use strict';

// A function that V8 compiles twice: its bytecode is flushed, and the second time it has counters in it, since coverage
// has begun. So what was at an offset of its bytecode is at another one.
//
//   node --expose-gc --stress-flush-code --no-opt --no-sparkplug recompiled.js EACH
//
// The label line is the line at which the function works, for EACH ms at a time.

const { AsyncLocalStorage } = require('node:async_hooks');
const { Session } = require('node:inspector');

const workFor = Number(process.argv[2]);
const first = 18; // line

function work(which) {
  const until = Date.now() + workFor;
  if (which === 0) while (Date.now() < until);
  if (which === 1) while (Date.now() < until);
  if (which === 2) while (Date.now() < until);
  if (which === 3) while (Date.now() < until);
  if (which === 4) while (Date.now() < until);
  if (which === 5) while (Date.now() < until);
  if (which === 6) while (Date.now() < until);
  if (which === 7) while (Date.now() < until);
}

const storage = new AsyncLocalStorage();

function workAtEachLine() {
  for (let round = 0; round < 3; round++) {
    for (let which = 0; which < 8; which++) storage.run({ line: first + which }, work, which);
  }
}

async function main() {
  workAtEachLine();
  for (let i = 0; i < 10; i++) {
    await new Promise(setImmediate);
    global.gc();
  }
  const session = new Session(); // while there is coverage nothing is flushed
  session.connect();
  const send = (method, params) => new Promise((done) => session.post(method, params, done));
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  workAtEachLine();
}

main();
