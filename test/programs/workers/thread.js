'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { now } = require('../lib/clock');
const { stopped } = require('../lib/env');
const { Intervals } = require('../lib/intervals');
const { Stacks } = require('../lib/stacks');
const { threads } = require('./burn');

// runThread burns and sleeps by turns on the calling thread, and resolves to {name, tid, lines} of its log.
async function runThread(name, number, milliseconds) {
  const { burn, lines } = threads[name] ?? require(`./${name}`);
  const stacks = new Stacks(number);
  const intervals = new Intervals(20000, {});
  const stack = stacks.add(burnFor(0, burn, -1, new Intervals(1)).slice(0, 3), ...lines);
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline && !intervals.full && !stopped()) {
    burnFor(3 + number, burn, 1000000, intervals);
    await sleep(5);
  }
  return { name, tid: intervals.tid, lines: [...stacks.lines(), ...intervals.lines(() => ({ stack }))] };
}

// burnFor burns at least once, for some milliseconds, and returns what the last call returned.
function burnFor(milliseconds, burn, n, intervals) {
  const deadline = performance.now() + milliseconds;
  let result;
  do {
    const start = now();
    result = callBurn(burn, n);
    intervals.add(start, now());
  } while (performance.now() < deadline);
  return result;
}

// callBurn is the only place that calls the burning function, so that its call site is always the same.
function callBurn(burn, n) {
  return burn(n);
}

module.exports = { runThread };
