'use strict';

const { app, readStore } = require('./request');
const { now } = require('../lib/clock');
const { number } = require('../lib/env');
const { burnNumbers, burnStrings, burnObjects } = require('../lib/burn');

const kinds = { plain: [burnNumbers, burnStrings, burnNumbers], gc: [burnObjects, burnObjects, burnStrings] };

const always = number('BURN_US', 0) / 1000;

// burn spends 1 to 4 ms, or always as many, and writes down for whom.
function burn(run, request, span) {
  checkStores(run, request, span);
  const kind = kinds[run.mode][run.below(3)];
  const milliseconds = always || 1 + run.below(4);
  const start = now();
  kind(milliseconds);
  run.journal.add(start, now(), request, span);
}

// checkStores ends the program if the stores do not say what the truth says: then the program is wrong.
function checkStores(run, request, span) {
  const { endpoint, user } = readStore(app.getStore());
  if (user === request.user && endpoint === request.endpoint && run.tracing.isActive(span)) return;
  throw new Error(`request ${request.number}: the stores are those of another`);
}

// burnUnlabelled spends time that belongs to no request.
function burnUnlabelled(journal, milliseconds) {
  const start = now();
  burnNumbers(milliseconds);
  journal.add(start, now(), null, null);
}

module.exports = { burn, burnUnlabelled };
