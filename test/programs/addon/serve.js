'use strict';

const { randomBytes } = require('node:crypto');
const { continuations } = require('./continuations');
const { tenants } = require('../requests/request');
const { now } = require('../lib/clock');
const { burnNumbers, burnStrings, burnObjects } = require('../lib/burn');

const kinds = { plain: [burnNumbers, burnStrings, burnNumbers], gc: [burnObjects, burnObjects, burnStrings] };

// serve runs one request from its first code to its last: spans within spans, each a context of its own.
function serve(run, request) {
  return inSpan(run, request, randomBytes(16).toString('hex'), 0);
}

// Of three contexts one has all labels from the start, one gets some by setRoute and setLabel, one by withLabels.
function inSpan(run, request, traceId, depth) {
  const { runWithContext, withLabels, setRoute, setLabel } = run.hotspan;
  const ids = { traceId, spanId: randomBytes(8).toString('hex') };
  const { route } = request;
  const labels = { endpoint: request.endpoint, premium: request.premium };
  const rest = { tenant: tenants[request.tenant], user: request.user };
  const go = () => handle(run, request, ids, traceId, depth);
  switch (run.below(3)) {
    case 0:
      return runWithContext({ ...ids, traceFlags: 1, route: route || undefined, labels: { ...labels, ...rest } }, go);
    case 1:
      return runWithContext({ ...ids, labels }, () => {
        if (route) setRoute(route);
        for (const name in rest) setLabel(name, rest[name]);
        return go();
      });
  }
  return runWithContext({ ...ids, route: route || undefined, labels }, () => withLabels(rest, go));
}

async function handle(run, request, ids, traceId, depth) {
  const value = run.hotspan.getContext();
  const work = () => burn(run, request, ids, value);
  work();
  const steps = 1 + run.below(4 - depth);
  for (let i = 0; i < steps; i++) {
    await continuations[run.below(continuations.length)](work);
    if (depth < 3 && run.below(3) === 0) await inSpan(run, request, traceId, depth + 1);
    if (run.below(2) === 0) work();
  }
  run.hotspan.enterWithContext(undefined);
  burn(run, null, null, undefined);
}

// burn spends 1 to 4 ms and writes down for whom; request is null where the context says nothing.
function burn(run, request, ids, value) {
  if (run.hotspan.getContext() !== value) throw new Error(`request ${request?.number}: the context is another's`);
  const kind = kinds[run.mode][run.below(3)];
  const milliseconds = 1 + run.below(4);
  const start = now();
  kind(milliseconds);
  run.journal.add(start, now(), request, ids);
}

module.exports = { serve };
