'use strict';

// A function of WebAssembly is called for each element of an array, by code that V8 puts into its callers.
//
//   node webassembly_map.js
//
//   DURATION_MS  how long to run (20000)
//
// It prints "ready PID" on stderr when that has run for a while, and is compiled.

const { number } = require('./lib/env');
const { ready } = require('./lib/output');
const { assemble } = require('./kinds/assemble');

const compiled = new WebAssembly.Module(assemble('inlined', { 7: 'first', 8: 'second', 9: 'both' }));
const { both } = new WebAssembly.Instance(compiled, { env: { report: () => 0 } }).exports;

function each() {
  return [100, 200, 300, 400].map(both).length;
}

async function run(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    for (let i = 0; i < 3000; i++) each();
    await null;
  }
}

run(1500).then(ready).then(() => run(number('DURATION_MS', 20000)));
