'use strict';

// Stores of many hidden classes, in many AsyncLocalStorages, one after the other.
//
//   node polymorphic.js [FILE]
//
//   DURATION_MS  how long to run (8000)
//   STOP         a file: run no longer than until it exists
//   CLASSES      hidden classes of stores (2000)
//   STORAGES     AsyncLocalStorages (50)
//
// It writes a log as requests.js does; label has only user: store.user, which each class keeps somewhere else.

const { AsyncLocalStorage } = require('node:async_hooks');
const { number, stopped } = require('./lib/env');
const { now } = require('./lib/clock');
const { ready, write } = require('./lib/output');
const { Intervals } = require('./lib/intervals');
const { burnNumbers } = require('./lib/burn');

const storages = Array.from({ length: number('STORAGES', 50) },
  (_, i) => new AsyncLocalStorage({ name: `storage ${i}` }));
const stores = Array.from({ length: number('CLASSES', 2000) }, (_, i) => {
  const store = { [`first${i}`]: i };
  for (let k = 0; k < i % 7; k++) store[`more${k}`] = k;
  store.user = `user ${i}`;
  return store;
});
const intervals = new Intervals(100000, { user: Int32Array });

function main() {
  const deadline = performance.now() + number('DURATION_MS', 8000);
  ready();
  for (let i = 0; performance.now() < deadline && !stopped(); i = (i + 1) % stores.length) {
    storages[i % storages.length].run(stores[i], burn, i);
  }
  write({}, intervals.lines((row) => ({ label: { user: `user ${intervals.columns.user[row]}` } })));
}

function burn(i) {
  const start = now();
  burnNumbers(1);
  intervals.columns.user[intervals.add(start, now())] = i;
}

main();
