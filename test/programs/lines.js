'use strict';

// Two functions burn CPU at one line after the other, for EACH ms at a time.
//
//   node lines.js EACH
//
// The label line is where they do, and how says which of them: "calls" by a call at that line, "loops" by a loop that
// calls nothing and has nearly all of its work there.

const { AsyncLocalStorage } = require('node:async_hooks');

const workFor = Number(process.argv[2]);
const firstCall = 24; // line
const firstLoop = 34;

function burn() {
  const until = Date.now() + workFor;
  let x = 0;
  while (Date.now() < until) for (let i = 0; i < 100; i++) x++;
  return x;
}

function calls(which) {
  if (which === 0) burn();
  if (which === 1) burn();
  if (which === 2) burn();
  if (which === 3) burn();
}

function loops(which, n, x) {
  let y = 1;
  while (which === 0 && n > 0) {
    n--;
    x = (x ^ y) + (x & n) - (y | x) ^ (x >> 3) ^ (y >> 4) ^ (x << 2) ^ (y << 1) ^ (x & y) ^ (n & x) ^ (n ^ y) & 255;
    y = n;
  }
  while (which === 1 && n > 0) {
    n--;
    x = (x ^ y) + (x & n) - (y | x) ^ (x >> 3) ^ (y >> 4) ^ (x << 2) ^ (y << 1) ^ (x & y) ^ (n & x) ^ (n ^ y) & 255;
    y = n;
  }
  return x;
}

function loop(which) {
  for (const until = Date.now() + workFor; Date.now() < until;) loops(which, 1e4, 3);
}

const storage = new AsyncLocalStorage();

for (let round = 0; round < 5; round++) {
  for (let which = 0; which < 4; which++) {
    storage.run({ line: firstCall + which, how: 'calls' }, calls, which);
  }
  for (let which = 0; which < 2; which++) {
    storage.run({ line: firstLoop + 5 * which, how: 'loops' }, loop, which);
  }
}
