'use strict';
// Has Maglev and TurboFan compile a function each that inlines small, has V8's own printer say where they and their code
// are on standard output, the file that is the first argument, and writes that as one line of JSON to standard error.
// Lives until standard input ends.
const fs = require('fs');
const file = fs.openSync(process.argv[2]);
const buffer = Buffer.alloc(8 << 20);
let from = 0;
function printed() {
  const n = fs.readSync(file, buffer, 0, buffer.length, from);
  from += n;
  return buffer.latin1Slice(0, n);
}

const small = new Function('x', 'return x * 3 + 1;');
const make = (start) => new Function('n', 'small', `let s = ${start}; for (let i = 0; i < n; i++) s += small(i); return s;`);
const codes = { maglev: make(1), turbofan: make(2) };
for (const f of [...Object.values(codes), small]) %PrepareFunctionForOptimization(f);
for (const f of Object.values(codes)) { f(9, small); f(9, small); }
try {
  new Function('f', '%OptimizeMaglevOnNextCall(f)')(codes.maglev);
} catch { /* this V8 knows no Maglev */ }
%OptimizeFunctionOnNextCall(codes.turbofan);
for (const f of Object.values(codes)) f(10, small);

gc(); // what is old does not move
gc();

const said = {};
for (const [k, f] of Object.entries({ ...codes, small })) {
  %DebugPrint(f);
  const text = printed();
  said[k] = { at: /DebugPrint: (0x[0-9a-f]+)/.exec(text)[1] };
  if (f === small) continue;
  %DebugPrintPtr(Number(BigInt(/ - code: (0x[0-9a-f]+)/.exec(text)[1])));
  said[k].start = /Instructions \(size = \d+\)\n(0x[0-9a-f]+)/.exec(printed())?.[1];
}
fs.writeSync(2, JSON.stringify(said) + '\n');
process.stdin.resume();
