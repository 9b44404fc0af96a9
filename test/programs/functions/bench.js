'use strict';

const { now } = require('../lib/clock');
const { Intervals } = require('../lib/intervals');
const { here, Stacks } = require('../lib/stacks');

// Bench runs functions and keeps the log. The generated code calls its now, record and report.
class Bench {
  constructor(capacity, below) {
    this.below = below;
    this.stacks = new Stacks();
    this.intervals = new Intervals(capacity, { stack: Int32Array });
    this.freshRate = 5000; // turns a millisecond of code that was not measured yet
    this.now = now;
    this.reported = null;
    this.current = null;
    this.sink = 0;
    this.helped = this.ended = now(); // the helper's time
  }

  get full() {
    return this.intervals.full;
  }

  // learn asks the code itself for its stacks: fn is {call, own, helper, wanted} with the line ranges of the function
  // and of its helper, and wanted(file) true for the files of its stacks.
  learn(fn) {
    fn.rate = 0;
    fn.ownStack = this.stacks.add(this.ask(fn, -1, 0), ...fn.own);
    fn.helperStack = this.stacks.add(this.ask(fn, 0, -1), ...fn.helper);
    return fn;
  }

  // ask ends the stack at enter, because what called that is not the same in run.
  ask(fn, n, m) {
    this.current = null;
    this.wanted = fn.wanted;
    this.sink ^= this.enter(fn.call, n, m);
    return this.reported.slice(0, this.reported.findIndex((frame) => frame.function === 'enter') + 1);
  }

  // run burns 1 to 3 ms in all.
  run(fn) {
    const half = Math.round(((fn.rate || this.freshRate) * (1 + this.below(3))) / 2);
    this.current = fn;
    this.half = half;
    this.sink ^= this.enter(fn.call, half, half);
  }

  // enter is the only place that calls generated code, so that every stack has the same call site.
  enter(call, n, m) {
    return call(n, m);
  }

  report() {
    this.reported = here(this.wanted).slice(1);
  }

  record(start, end, x) {
    const fn = this.current;
    if (fn === null) return x;
    this.note(start, end, fn.ownStack);
    this.note(this.helped, this.ended, fn.helperStack);
    this.pace(fn, Number(this.ended - start) / 1e6);
    return x;
  }

  note(start, end, stack) {
    const row = this.intervals.add(start, end);
    if (row >= 0) this.intervals.columns.stack[row] = stack;
  }

  // pace learns how many turns a millisecond takes, carefully: the code may be much faster when it comes next, or
  // something else may have had the processor.
  pace(fn, milliseconds) {
    const used = fn.rate || this.freshRate;
    const measured = (2 * this.half) / milliseconds;
    const rate = Math.max(100, Math.min(1e6, used * 2, Math.max(used / 2, measured)));
    if (!fn.rate) this.freshRate = rate;
    fn.rate = rate;
  }

  lines() {
    return this.intervals.lines((row) => ({ stack: this.intervals.columns.stack[row] }));
  }
}

module.exports = { Bench };
