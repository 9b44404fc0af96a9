'use strict';

// Publishes contexts whose memory is made up, case after case, and burns CPU in each.
//
//   node hostile.js [FILE]
//
//   PUBLISH_ADDON  what publishes a process context: ../e2e/testdata/publish.c, built
//   HOSTILE_ADDON  the cases: ../e2e/testdata/hostile.cc, built
//   CASES          their names, with commas between them
//   CASE_MS        milliseconds of each (30)
//   ROUNDS         how often all are run (4)
//   DELAY_MS       how long to wait before the first (100)
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does; the route of a
// label is the case.

const { now } = require('./lib/clock');
const { number } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { encode } = require('./published/process_context');

const { publish } = require(process.env.PUBLISH_ADDON);
const { burn } = require(process.env.HOSTILE_ADDON);
const cases = process.env.CASES.split(',');
const intervals = new Intervals(10000, { case: Int32Array });

publish(encode({}, { 'threadlocal.schema_version': 'nodejs_v1_dev', 'threadlocal.attribute_key_map': ['a'] }));
ready();
setTimeout(() => {
  for (let round = 0; round < number('ROUNDS', 4); round++) {
    for (const [i, name] of cases.entries()) {
      const start = now();
      burn(name, number('CASE_MS', 30), new Map(), {});
      intervals.columns.case[intervals.add(start, now())] = i;
    }
  }
  write({}, intervals.lines((row) => ({ label: { route: cases[intervals.columns.case[row]] } })));
}, number('DELAY_MS', 100));
