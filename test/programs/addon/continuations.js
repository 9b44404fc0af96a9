'use strict';

const { AsyncResource } = require('node:async_hooks');
const { EventEmitter, once } = require('node:events');
const { Readable, Writable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { continuations } = require('../requests/continuations');

// Beside those of requests.js: streams, event emitters, and a pool whose loop belongs to no request.
const all = [
  ...continuations,
  function onData(work) {
    return new Promise((resolve, reject) => {
      Readable.from(['a', 'b']).on('data', () => {}).on('end', () => resolve(work())).on('error', reject);
    });
  },
  async function afterPipeline(work) {
    await pipeline(Readable.from(['a', 'b']), new Writable({ write: (chunk, encoding, done) => setImmediate(done) }));
    work();
  },
  async function afterEvent(work) {
    const emitter = new EventEmitter();
    setImmediate(() => emitter.emit('event'));
    await once(emitter, 'event');
    work();
  },
  function inPool(work) {
    const resource = new AsyncResource('job');
    return new Promise((resolve) => {
      jobs.push(() => resource.runInAsyncScope(() => resolve(work())));
    });
  },
];

const jobs = [];

// startPool has the pool do its jobs outside all requests, until the function that it returns is called.
function startPool() {
  const timer = setInterval(() => {
    for (const job of jobs.splice(0)) job();
  }, 1);
  return () => clearInterval(timer);
}

module.exports = { continuations: all, startPool };
