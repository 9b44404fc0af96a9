'use strict';

const { now } = require('../lib/clock');
const { a } = require('./chain');

// Turns of the innermost loop: 0.2 ms and more, so that samples outside it are few.
const turns = 200000;

// burst runs the chain for about the given time and returns when it began and ended.
// The call of the chain is in one place only.
function burst(milliseconds, n = turns) {
  const deadline = performance.now() + milliseconds;
  const start = now();
  let x = 0;
  do {
    x ^= a(n);
  } while (n > 0 && performance.now() < deadline);
  const end = now(); // not in the literal: V8 allocates that first, and may collect garbage then
  return { start, end, x };
}

module.exports = { burst };
