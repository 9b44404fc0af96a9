'use strict';

// Functions of every kind burn CPU for some milliseconds each, in turn: generators, async functions, accessors, class
// fields, proxies, evaluated code, ES modules, callbacks of builtins, WebAssembly and more.
//
//   node kinds.js [FILE]
//
//   ROUNDS        how often each of them runs (3)
//   MILLISECONDS  how long each burns each time (8)
//   PARTS         which of them: kinds, or builtins: loops that call builtins of V8
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","name","pattern",
//    "frames":[{"function","file","first","last"},{"function","file","line","column","builtin","origin"},…]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// name is that of the kind. A stack is leaf first, and whole: frames of Node itself and of builtins are in it. All of
// the burning is on one line of the leaf, but for a look at the clock now and then; everything else is what an Error
// that is made there says. builtin: the frame is of a function that is not written in JavaScript, which has no place.
// origin: where an eval without a name was called. pattern: what is to be found above the leaf, a regular expression.

const { number, choice } = require('./lib/env');
const { ready, write } = require('./lib/output');
const meter = require('./kinds/meter');

const rounds = number('ROUNDS', 3);
const parts = {
  kinds: ['functions', 'classes', 'calls', 'callbacks', 'evaluated', 'names', 'wasm'],
  builtins: ['builtins'],
}[choice('PARTS', ['kinds', 'builtins'])];

async function main() {
  const kinds = parts.map((name) => require(`./kinds/${name}`));
  if (parts.length > 1) kinds.push(await import('./kinds/größe 100%25.mjs').then((module) => module.default));
  ready();
  await new Promise((resolve) => setTimeout(resolve, 1000)); // until what comes with a start is over
  for (let n = 0; n < rounds; n++) {
    for (const [name, run] of kinds.flatMap(Object.entries)) await meter.measure(name, run);
  }
  write({}, meter.stacks(), meter.intervals());
}

main();
