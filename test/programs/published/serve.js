'use strict';

const { randomBytes } = require('node:crypto');
const { continuations } = require('../requests/continuations');
const { tenants } = require('../requests/request');
const { now } = require('../lib/clock');
const { burnNumbers, burnStrings, burnObjects } = require('../lib/burn');

const kinds = { plain: [burnNumbers, burnStrings, burnNumbers], gc: [burnObjects, burnObjects, burnStrings] };

// serve runs one request from its first code to its last: spans within spans, each a context of its own.
function serve(run, request) {
  const attributes = { endpoint: request.endpoint, tenant: tenants[request.tenant], user: request.user };
  if (request.route) attributes['http.route'] = request.route;
  return inSpan(run, request, attributes, randomBytes(16).toString('hex'), 0);
}

function inSpan(run, request, attributes, traceId, depth) {
  const ids = { traceId, spanId: randomBytes(8).toString('hex') };
  return run.writer.run(ids, attributes, async () => {
    burn(run, request, ids);
    const steps = 1 + run.below(4 - depth);
    for (let i = 0; i < steps; i++) {
      await continuations[run.below(continuations.length)](() => burn(run, request, ids));
      if (depth < 3 && run.below(3) === 0) await inSpan(run, request, attributes, traceId, depth + 1);
      if (run.below(2) === 0) burn(run, request, ids);
    }
    run.writer.end(ids);
    burn(run, null, null);
  });
}

// burn spends 1 to 4 ms and writes down for whom; request is null where the context says nothing.
function burn(run, request, ids) {
  if (ids && !run.writer.check(ids)) throw new Error(`request ${request.number}: the context is that of another`);
  const kind = kinds[run.mode][run.below(3)];
  const milliseconds = 1 + run.below(4);
  const start = now();
  kind(milliseconds);
  run.journal.add(start, now(), request, ids);
}

module.exports = { serve };
