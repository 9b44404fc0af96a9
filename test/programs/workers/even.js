'use strict';

const { here } = require('../lib/stacks');

// Two workers load even.js and odd.js. V8 gives both scripts, and the functions in them, the same numbers.

function burn_even(n) {
  if (n < 0) return here((file) => file.startsWith(__dirname));
  let x = 1;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x;
}

// The first and last lines of the function.
module.exports = { burn: burn_even, lines: [7, 12] };
