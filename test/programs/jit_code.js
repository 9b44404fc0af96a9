'use strict';

// Burns CPU in machine code of each compiler of V8's. Of the loops divide and div, of WebAssembly, each round waits for
// the division of the one before it, which takes longer than all else in them.
//
//   STOP=FILE node jit_code.js [FILE]
//
//   STOP         a file: burn until it exists
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end, with a header and
// the clock only.

const { stopped } = require('./lib/env');
const { ready, write } = require('./lib/output');

function quotient(a, b) {
  return (a / b) | 0;
}

function divide(n) {
  let s = 1;
  for (let i = 1; i < n; i++) {
    s = quotient(s ^ 0x3fffffff, (i & 15) + 3);
  }
  return s;
}

function floats(n) {
  let s = 0.5;
  for (let i = 1; i < n; i++) {
    s = s * 0.999 + Math.sqrt(i);
  }
  return s;
}

// (func (export "div") (param $n i32) (result i32) (local $s i32)
//   (loop $again
//     (local.set $s (i32.div_u (i32.xor (local.get $s) (i32.const 0x7fffffff)) (local.get $n)))
//     (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
//   (local.get $s))
const bytes = Buffer.from('0061736d0100000001060160017f017f030201000707010364697600000a22012001017f0340' +
  '200141ffffffff077320006e2101200041016b22000d000b20010b', 'hex');
const { div } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;

// Functions that are called too rarely to be optimised, but often enough for Sparkplug.
const source = (i) => `for (let i = 0; i < 40; i++) s += i % ${i + 3}; return s`;
const many = Array.from({ length: 40 }, (_, i) => new Function('s', source(i)));

let sum = 0;
function round(n) {
  sum += divide(20000) + floats(20000) + div(20000);
  sum += /(a+)+b/.test('aaaaaaaaaaaac') ? 1 : 0;
  for (const f of many) sum += f(n);
}

ready();
for (let n = 0; n % 100 > 0 || !stopped(); n++) round(n);
write({}, [], []);
