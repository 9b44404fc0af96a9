'use strict';

// Contexts that live and die, that are changed and are too long, with a Worker and with threads of an add-on.
// node --expose-gc lifetimes.js PACKAGE ADDON

const { AsyncResource } = require('node:async_hooks');
const { Worker, isMainThread } = require('node:worker_threads');

const { form, runWithContext, setLabel } = require(process.argv[2]);
let live = [];

function one(i) {
  if (i % 3) setLabel('more', 'x'.repeat(i % 200));
  if (i % 2) live.push(new AsyncResource('x'));
}

if (form !== 'record') throw new Error(`contexts are published as ${form}`);
for (let i = 0; i < 3000; i++) {
  const ids = { traceId: i % 5 ? 'ab'.repeat(16) : 'none', spanId: 'cd'.repeat(8) };
  runWithContext({ ...ids, route: '/x', labels: { i, text: 'ü'.repeat(i % 300), more: 'y'.repeat(i % 400) } }, one, i);
  if (i % 1000 === 0) {
    live = live.slice(-300);
    gc();
  }
}

function jobs(run, n, end) {
  if (n === 0) end();
  else runWithContext({ route: '/job' }, run, n % 2 ? 'queue' : 'thread', 1, () => jobs(run, n - 1, end));
}

if (isMainThread) {
  const { run } = require(process.argv[3]);
  new Worker(__filename, { argv: process.argv.slice(2) }).on('exit', () => jobs(run, 8, () => console.log('done')));
}
