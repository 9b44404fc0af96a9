'use strict';

const { here } = require('../lib/stacks');

// One function for each thread. For a negative n they return the stack that they are in.

const wanted = (file) => file.startsWith(__dirname);

function burn_main(n) {
  if (n < 0) return here(wanted);
  let x = 1;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x;
}

function burn_alpha(n) {
  if (n < 0) return here(wanted);
  let x = 2;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 22695477) + i) | 0;
  return x;
}

function burn_beta(n) {
  if (n < 0) return here(wanted);
  let x = 3;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1103515245) + i) | 0;
  return x;
}

// The first and last lines of the functions above.
const threads = {
  main: { burn: burn_main, lines: [9, 14] },
  alpha: { burn: burn_alpha, lines: [16, 21] },
  beta: { burn: burn_beta, lines: [23, 28] },
};

module.exports = { threads };
