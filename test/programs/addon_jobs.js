'use strict';

// Jobs of an add-on that runs them on threads of libuv's pool and on threads of its own, each in a context that the npm
// package hotspan has. Meanwhile the main thread makes garbage and other contexts.
//
//   node addon_jobs.js [FILE]
//
//   HOTSPAN      the folder of the installed package
//   JOBS_ADDON   ../e2e/testdata/jobs.cc, built
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does; a label has
// trace_id, span_id, route, endpoint, tenant and user. The intervals of the main thread are not in it.

const { randomBytes } = require('node:crypto');
const { burnObjects } = require('./lib/burn');
const { number, stopped } = require('./lib/env');
const { ready, write } = require('./lib/output');

const { runWithContext, withLabels, setLabel } = require(process.env.HOTSPAN);
const { run } = require(process.env.JOBS_ADDON);
const deadline = performance.now() + number('DURATION_MS', 20000);
const running = () => performance.now() < deadline && !stopped();
const lines = [];
let jobs = 0;

async function lane(kind) {
  while (running()) await job(kind, ++jobs);
}

function job(kind, n) {
  const ids = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
  const label = { trace_id: ids.traceId, span_id: ids.spanId, route: `/jobs/${n % 7}`, endpoint: kind, tenant: '東京',
    user: `user ${n}` };
  const start = (done) => {
    run(kind, 2 + (n % 5), (start, end, tid) => {
      lines.push(`${JSON.stringify({ kind: 'interval', start: 0, end: 1, tid, label })
        .replace('"start":0,"end":1', `"start":${start},"end":${end}`)}\n`);
      done();
    });
    setLabel('user', 'of another'); // after the job has its context
  };
  return new Promise((done) => {
    runWithContext({ ...ids, route: label.route, labels: { endpoint: kind, tenant: label.tenant } }, () => {
      if (n % 2) {
        setLabel('user', label.user);
        start(done);
      } else withLabels({ user: label.user }, start, done);
    });
  });
}

function litter() {
  if (!running()) return;
  runWithContext({ labels: { user: 'nobody' } }, burnObjects, 2);
  setTimeout(litter, 2);
}

async function main() {
  ready();
  litter();
  await Promise.all(['queue', 'queue', 'thread', 'thread'].map(lane));
  write({ jobs }, lines);
}

main();
