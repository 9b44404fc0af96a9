'use strict';

// Contexts of the npm package hotspan beside those of @datadog/pprof, in one process: now one is current, now the
// other, now none.
//
//   node addon_beside.js [FILE]      with the variables of addon.js: HOTSPAN, DURATION_MS, STOP
//   PUBLISH_ADDON  what publishes a process context first: ../e2e/testdata/publish.c, built

const { number, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { now } = require('./lib/clock');
const { burnObjects } = require('./lib/burn');
const { Journal } = require('./requests/journal');
const { newRequest, tenants } = require('./requests/request');
const { writer } = require('./published/writers');

const deadline = performance.now() + number('DURATION_MS', 20000);
const below = random(1);
const journal = new Journal(400000);
const other = writer('pprof-5.20');

other.start(require(process.env.PUBLISH_ADDON).publish);
const { runWithContext } = require(process.env.HOTSPAN);

function burn(request, ids) {
  const start = now();
  burnObjects(2);
  journal.add(start, now(), request, ids);
}

// Both have a tenant, by which they are told apart.
function step(n) {
  const request = newRequest(n, 'plain', below);
  const ids = { traceId: (n + 1).toString(16).padStart(32, '0'), spanId: (n + 1).toString(16).padStart(16, '0') };
  const { traceId, spanId } = ids;
  const labels = { tenant: tenants[request.tenant] };
  request.route = '';
  switch (n % 3) {
    case 0:
      request.endpoint = 'ours';
      return runWithContext({ traceId, spanId, labels: { ...labels, endpoint: 'ours' } }, burn, request, ids);
    case 1:
      request.endpoint = 'theirs';
      return other.run(ids, { ...labels, endpoint: 'theirs' }, () => burn(request, ids));
  }
  return burn(null, null);
}

ready();
let n = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 3; i++) step(n++);
  if (performance.now() < deadline && !stopped() && !journal.full) return;
  clearInterval(timer);
  write({ requests: n }, journal.lines());
}, 1);
