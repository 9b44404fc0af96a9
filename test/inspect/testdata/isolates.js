// Has 40 worker threads, each with 25 requests that wait.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const workers = 40;

function wait() {
  const store = new AsyncLocalStorage();
  for (let i = 0; i < 25; i++) store.run({ id: i }, () => setTimeout(() => {}, 1e8));
  parentPort.postMessage('waits');
}

function start() {
  let up = 0;
  for (let i = 0; i < workers; i++) {
    new Worker(__filename).on('message', () => {
      if (++up === workers) console.error('ready');
    });
  }
}

if (isMainThread) start();
else wait();
