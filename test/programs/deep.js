'use strict';

// Recurses, in its own code and through builtins and C++ that call back, and burns CPU at the bottom, at several
// depths.
//
//   node --stack-size=6000 deep.js [FILE]
//
//   WAIT_MS      how long to burn first, not on a known stack (0)
//   DURATION_MS  how long to go on (1000): rounds are not cut short
//
// It prints "ready PID" on stderr when it begins, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"},…]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// The stack is the whole of what new Error().stack says of this file's functions, leaf first. Nothing of it is
// optimised, so that each of them has a frame of its own.

const v8 = require('node:v8');
for (const flag of ['--no-opt', '--no-maglev']) v8.setFlagsFromString(flag);

const { now } = require('./lib/clock');
const { number } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { Stacks } = require('./lib/stacks');

const milliseconds = number('DURATION_MS', 1000);
const wait = number('WAIT_MS', 0);
const stacks = new Stacks();
const intervals = new Intervals(10000, { stack: Uint32Array });
let current; // which recursion
const ids = new Map(); // its stack

function burn() {
  if (!ids.has(current)) {
    const frames = everything();
    ids.set(current, stacks.add(frames, frames[0].line - 1, frames[0].line + 9));
  }
  const id = ids.get(current);
  const start = now();
  const end = process.cpuUsage().user + 50000; // not by the clock: on a busy machine it would be burnt at for less
  let x = 1;
  while (process.cpuUsage().user < end) for (let i = 0; i < 20000; i++) x = (Math.imul(x, 1664525) + i) | 0;
  intervals.columns.stack[intervals.add(start, now())] = id;
  return x;
}

// everything is the stack of its caller, as far as it is in this file.
function everything() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  Error.prepareStackTrace = (_, sites) => sites;
  const holder = {};
  Error.captureStackTrace(holder, everything);
  const sites = holder.stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return sites.filter((site) => site.getFileName() === __filename).map((site) => ({
    function: site.getFunctionName() || '', file: __filename,
    line: site.getLineNumber(), column: site.getColumnNumber(),
  }));
}

function plain(n) { return n > 1 ? plain(n - 1) : burn(); }
function map(n) { return [0].map(function each() { return n > 1 ? map(n - 1) : burn(); }); }
function sort(n) { return [1, 2].sort(function compare() { if (n > 1) sort(n - 1); else burn(); return 0; }); }
function json(n) { return JSON.parse('0', function revive() { return n > 1 ? json(n - 1) : burn(); }); }

const depths = new Map([
  [plain, [300, 900, 1100, 6000]], [map, [100, 280, 400, 2000]],
  [sort, [100, 220, 280, 1200]], [json, [40, 110, 140, 600]],
]);
const all = [...depths].flatMap(([recurse, list]) => list.map((n) => ({ recurse, n })));

function round() {
  for (current of all) current.recurse(current.n);
}

ready();
for (const begin = performance.now() + wait; performance.now() < begin;); // until whoever looks at it has seen its code
for (const end = performance.now() + milliseconds; performance.now() < end;) round();
write({}, stacks.lines(), intervals.lines((row) => ({ stack: intervals.columns.stack[row] })));
