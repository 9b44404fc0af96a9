'use strict';

// A function of WebAssembly, both, calls two others in turn. Each of them turns as often as the other, and calls
// nothing. both itself only adds what they return. V8 may inline them.
//
//   node webassembly.js
//
//   DURATION_MS  how long to run (20000)
//
// It prints "ready PID" on stderr when they have run for a second, and are compiled.

const { number } = require('./lib/env');
const { ready } = require('./lib/output');
const { assemble } = require('./kinds/assemble');

const compiled = new WebAssembly.Module(assemble('inlined', { 7: 'first', 8: 'second', 9: 'both' }));
const { both } = new WebAssembly.Instance(compiled, { env: { report: () => 0 } }).exports;

function burn(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) for (let i = 0; i < 100; i++) both(1000);
}

burn(1000);
ready();
burn(number('DURATION_MS', 20000));
