// Has ten requests that wait for a timer, with a hundred thousand objects between them. Each has in its store when Node
// started the timer.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const als = new AsyncLocalStorage();
const held = [];

function request() {
  const store = {};
  als.run(store, () => {
    store.start = setTimeout(() => {}, 1e8)._idleStart;
  });
  for (let i = 0; i < 1e5; i++) held.push({ i });
}

for (let i = 0; i < 10; i++) request();
globalThis.held = held;
console.error('ready');
