'use strict';

// Threads that are where they say: the main thread waits for its standard input in outer > middle > inner, inside an
// AsyncLocalStorage; a worker waits in Atomics.wait, inside another store; another one computes, in the functions even
// and odd in turn, each inside a store with its name. A marker // @NAME is where the function NAME stands.

const { AsyncLocalStorage } = require('node:async_hooks');
const { readSync } = require('node:fs');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const storage = new AsyncLocalStorage();

function outer(wait) {
  return middle(wait); // @outer
}

function middle(wait) {
  return inner(wait) + 1; // @middle
}

function inner(wait) {
  return wait() + 1; // @inner
}

function readInput() {
  return readSync(0, Buffer.alloc(1), 0, 1, null); // @readInput
}

function waitForNobody() {
  Atomics.wait(shared, 1, 0); // @waitForNobody
  return 0;
}

function even(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function odd(n) {
  let sum = 1;
  for (let i = 0; i < n; i++) sum = (sum * 37 + i) | 0;
  return sum;
}

const shared = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : workerData.shared;

if (isMainThread) {
  for (const does of ['wait', 'compute']) new Worker(__filename, { workerData: { shared, does } });
  const timer = setInterval(() => {
    if (Atomics.load(shared, 0) < 2) return;
    clearInterval(timer);
    storage.run({ tenant: 'acme', user: 41, long: 'é'.repeat(600) }, () => {
      process.stderr.write('{}\n', () => process.exit(outer(readInput)));
    });
  }, 5);
} else if (workerData.does === 'wait') {
  Atomics.add(shared, 0, 1);
  storage.run({ tenant: 'globex' }, () => outer(waitForNobody));
} else {
  Atomics.add(shared, 0, 1);
  for (;;) {
    storage.run({ tenant: 'even' }, () => even(3e5));
    storage.run({ tenant: 'odd' }, () => odd(3e5));
  }
}
