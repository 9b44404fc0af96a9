'use strict';
// Functions that call one another in one way only, once it is traced: run calls a, a calls b, b calls c, c calls d. The
// argument says by which compilers: ignition, sparkplug, maglev, turbofan, inlined (by TurboFan) or mixed. Math.expm1 is
// called before each round. Says on standard error, as one line of JSON, in which line each of them calls the next, and
// as Column in which it ends.
const fs = require('fs');

function d(n) {
  let x = n * 3;
  x += 1;
  return x;
}

function c(n) {
  const x = d(n);
  return x * 2;
}

function b(n) {
  let s = 0;
  for (let i = 0; i < 2; i++) {
    s += c(n + i);
  }
  return s;
}

function a(n) {
  const s = b(n);

  return s + 1;
}

function run() {
  for (let i = 0; i < 100000; i++) {
    Math.expm1(i);
    a(i);
  }
}

const optimize = (tier) => (f) => {
  %PrepareFunctionForOptimization(f);
  for (let i = 0; i < 3; i++) a(i);
  if (tier === 'maglev') new Function('f', '%OptimizeMaglevOnNextCall(f)')(f); // Node 16 does not know it
  else %OptimizeFunctionOnNextCall(f);
  a(1);
};
const compilers = {
  ignition: () => {},
  sparkplug: (f) => { %CompileBaseline(f); },
  maglev: optimize('maglev'),
  turbofan: optimize('turbofan'),
};
const how = {
  ignition: ['ignition', 'ignition', 'ignition', 'ignition'],
  sparkplug: ['sparkplug', 'sparkplug', 'sparkplug', 'sparkplug'],
  maglev: ['maglev', 'maglev', 'maglev', 'maglev'],
  turbofan: ['turbofan', 'turbofan', 'turbofan', 'turbofan'],
  inlined: ['turbofan', 'turbofan', 'turbofan', 'turbofan'],
  mixed: ['turbofan', 'sparkplug', 'ignition', 'turbofan'],
};

function awaitTracer() {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; i < 3000 && /^TracerPid:\s+0$/m.test(fs.readFileSync('/proc/self/status', 'latin1')); i++) {
    Atomics.wait(never, 0, 0, 10);
  }
}

%NeverOptimizeFunction(run);
for (let i = 0; i < 3; i++) a(i);
[d, c, b, a].forEach((f, i) => compilers[how[process.argv[2]][i]](f));
const lines = fs.readFileSync(__filename, 'latin1').split('\n');
const calls = { d: 'return x;', c: 'd(n)', b: 'c(n + i)', a: 'b(n)', run: 'a(i);' };
const sites = Object.entries(calls).map(([name, call]) => {
  const start = lines.findIndex((line) => line.startsWith(`function ${name}(`));
  const at = lines.findIndex((line, i) => i > start && line.includes(call));
  return { Name: name, Line: 1 + at, Column: 1 + lines.findIndex((line, i) => i > start && line === '}') };
});
fs.writeSync(2, JSON.stringify({ Stack: sites }) + '\n');
awaitTracer();
run();
