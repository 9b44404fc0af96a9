'use strict';

const { readFile } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { pbkdf2 } = require('node:crypto');

// The ways in which a request goes on later. Each calls work once, and its promise is settled after that.
const continuations = [
  async function afterAwait(work) {
    await null;
    work();
  },
  function afterPromiseChain(work) {
    return Promise.resolve(1).then((x) => x + 1).then(work);
  },
  async function afterSleep(work) {
    await sleep(2);
    work();
  },
  function inTimer(work) {
    return new Promise((resolve) => setTimeout(() => resolve(work()), 1));
  },
  function inImmediate(work) {
    return new Promise((resolve) => setImmediate(() => resolve(work())));
  },
  function inTick(work) {
    return new Promise((resolve) => process.nextTick(() => resolve(work())));
  },
  function inMicrotask(work) {
    return new Promise((resolve) => queueMicrotask(() => resolve(work())));
  },
  function afterFile(work) {
    return new Promise((resolve) => readFile(__filename, () => resolve(work())));
  },
  function afterPool(work) {
    return new Promise((resolve) => pbkdf2('password', 'salt', 100, 32, 'sha256', () => resolve(work())));
  },
  async function overGenerator(work) {
    async function* items() {
      yield 1;
      yield 2;
    }
    let last = 0;
    for await (const item of items()) last = item;
    if (last === 2) work();
  },
];

module.exports = { continuations };
