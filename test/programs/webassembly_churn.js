'use strict';

// Modules of WebAssembly come and go. Each has one function that burns some milliseconds, under a name of its own, and
// is collected after that. Its code is thrown away, and so is that of V8's first compiler once the second's is done.
//
//   node --expose-gc webassembly_churn.js FILE
//
//   DURATION_MS  how long to run (20000)
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function"}]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC

const { number } = require('./lib/env');
const { now } = require('./lib/clock');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { assemble } = require('./kinds/assemble');

const intervals = new Intervals(100000);
const name = (i) => `comes_and_goes_${String(i).padStart(6, '0')}`;
const end = performance.now() + number('DURATION_MS', 20000);

function once(i) {
  const compiled = new WebAssembly.Module(assemble('churn', { 4: name(i) }));
  const { unnamed } = new WebAssembly.Instance(compiled, { env: { report: () => 0 } }).exports;
  unnamed(10);
  const start = now();
  unnamed(1000000);
  intervals.add(start, now());
}

function turn() {
  once(intervals.length);
  gc();
  if (performance.now() < end && !intervals.full) setImmediate(turn);
  else write({}, stacks(), intervals.lines((row) => ({ stack: row })));
}

function* stacks() {
  for (let i = 0; i < intervals.length; i++) yield `{"kind":"stack","id":${i},"frames":[{"function":"${name(i)}"}]}\n`;
}

ready();
setTimeout(turn, 1000); // until what comes with a start is over
