'use strict';

// Publishes contexts whose memory is made up, case after case, and burns CPU in each.
//
//   node hostile.js [FILE]
//
//   PUBLISH_ADDON  what publishes a process context: ../e2e/testdata/publish.c, built
//   HOSTILE_ADDON  the cases: ../e2e/testdata/hostile.cc, built
//   CASES          their names, with commas between them
//   CASE_MS        milliseconds of each (20)
//   DURATION_MS    how long to run (20000)
//   STOP           a file: run no longer than until it exists
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does; the route of a
// label is the case.

const { number, stopped } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { encode } = require('./published/process_context');

const { publish } = require(process.env.PUBLISH_ADDON);
const { burn } = require(process.env.HOSTILE_ADDON);
const cases = process.env.CASES.split(',');
const intervals = new Intervals(10000, { case: Int32Array });

const deadline = performance.now() + number('DURATION_MS', 20000);
let next = 0;

function step() {
  if (performance.now() >= deadline || stopped()) {
    write({}, intervals.lines((row) => ({ label: { route: cases[intervals.columns.case[row]] } })));
    return;
  }
  const [start, end] = burn(cases[next], number('CASE_MS', 20), new Map(), {});
  intervals.columns.case[intervals.add(start, end)] = next;
  next = (next + 1) % cases.length;
  setImmediate(step);
}

publish(encode({}, { 'threadlocal.schema_version': 'nodejs_v1_dev', 'threadlocal.attribute_key_map': ['a'] }));
ready();
setImmediate(step);
