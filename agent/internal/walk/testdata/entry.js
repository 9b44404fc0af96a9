'use strict';
// Calls functions that only the interpreter runs, once it is traced. Each has its first statement in its second line, and
// more lines than that: what an earlier call has left on the stack would be another line. Says on standard error, as one
// line of JSON, which of them are entered, in this order, and in which line each begins.
const fs = require('fs');

function first(n) {
  let sum = n;

  sum += 1;
  sum *= 2;
  return sum;
}

function second(n) {
  let sum = first(n);

  for (let i = 0; i < 3; i++) {
    sum += i;
  }

  return first(sum);
}

function third(n) {
  let sum = n - 1;
  if (sum > 5) {
    sum -= 1;
  }



  sum = second(sum);

  return sum;
}

function awaitTracer() {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; i < 3000 && /^TracerPid:\s+0$/m.test(fs.readFileSync('/proc/self/status', 'latin1')); i++) {
    Atomics.wait(never, 0, 0, 10);
  }
}

const lines = fs.readFileSync(__filename, 'latin1').split('\n');
const site = (name) => ({ Name: name, Line: 1 + lines.findIndex((line) => line.startsWith(`function ${name}(`)) });
const entered = 'third second first first first second first first'.split(' ');
fs.writeSync(2, JSON.stringify({ Stack: entered.map(site) }) + '\n');
awaitTracer();
third(1);
first(2);
second(3);
