'use strict';

// A chain of four functions, each called in another way. The last one burns CPU, or, for a negative n, reports the
// stack that it is in: the calls of both are the same, so the call sites of the report are those of the burning.

const { here } = require('../lib/stacks');

const report = { frames: [] };

const isOurs = (file) => file.startsWith(__dirname);

class Link {
  constructor() {
    this.calls = 0;
  }

  c(n) {
    this.calls++;
    return 1 + leaf(n);
  }
}

const link = new Link();

const b = (n) => {
  const more = n + 0; return link.c(more) ^ 3;
};

function a(n) {
  let result = n & 7;
  result = (result + 1) * b(n);
  return result | 0;
}

function leaf(n) {
  if (n < 0) report.frames = here(isOurs);
  let x = n | 0;
  for (let i = 0; i < n; i++) {
    x = Math.imul(x, 1664525);
    x = (x + i) | 0;
    if (x === 7) {
      x ^= i;
    }
  }
  return x;
}

const functions = { a, b, c: link.c, leaf };

// lines are the first and the last line of each function, counted in its own text.
function lines(fn) {
  const source = require('node:fs').readFileSync(__filename, 'utf8');
  const text = fn.toString();
  const at = source.indexOf(text);
  if (at < 0) throw new Error(`${fn.name}: its text is not in ${__filename}`);
  const first = source.slice(0, at).split('\n').length;
  return [first, first + text.split('\n').length - 1];
}

module.exports = { a, functions, report, lines };
