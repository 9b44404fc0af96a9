// Has 4,000 hidden classes, each with a class of its own or without, and 1,000 requests that wait. Its WebAssembly
// reserves some 200 GB of addresses.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const store = new AsyncLocalStorage();
const held = [];
for (let i = 0; i < 2000; i++) {
  held.push({ [`k${i}`]: i });
  held.push(new (class { constructor() { this[`p${i}`] = i; } })());
}

async function wait() {
  await new Promise((done) => setTimeout(done, 1e8));
}
for (let i = 0; i < 1000; i++) store.run({ id: i }, () => wait());

for (let i = 0; i < 20; i++) held.push(new WebAssembly.Memory({ initial: 0 }));
globalThis.held = held;
console.error('ready');
