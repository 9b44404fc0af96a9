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
  const stack = stacks.add(callBurn(burn, -1).slice(0, 2), ...lines);
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline && !intervals.full && !stopped()) {
    burnFor(3 + number, burn, intervals);
    await sleep(5);
  }
  return { name, tid: intervals.tid, lines: [...stacks.lines(), ...intervals.lines(() => ({ stack }))] };
}

function burnFor(milliseconds, burn, intervals) {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    const start = now();
    callBurn(burn, 1000000);
    intervals.add(start, now());
  }
}

// callBurn is the only place that calls the burning function, so that its call site is always the same.
function callBurn(burn, n) {
  return burn(n);
}

module.exports = { runThread };
