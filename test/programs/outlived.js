'use strict';

// hot is optimised before the program is ready, which is busy in beat then. After SIGUSR2 hot runs for 300 ms, then
// there is a mark-compact, and then it runs on in the same code: needs --expose-gc, --no-compact-code-space and
// --no-memory-reducer.

const { existsSync } = require('node:fs');

function add(a, i) {
  return (a * 31 + i) % 1000003;
}

function sum(n) {
  let a = 1;
  for (let i = 0; i < n; i++) a = add(a, i);
  return a;
}

function hot(ms) {
  let a = 1;
  for (const end = performance.now() + ms; performance.now() < end;) a += sum(10000);
  return a;
}

function beat() {
  for (const end = performance.now() + 5; performance.now() < end;);
  if (existsSync(process.env.STOP)) clearInterval(idle);
}

function goOn() {
  hot(20);
  if (!existsSync(process.env.STOP)) setImmediate(goOn);
}

for (let i = 0; i < 10; i++) hot(30);
const idle = setInterval(beat, 10);
process.on('SIGUSR2', () => {
  clearInterval(idle);
  hot(300);
  gc();
  goOn();
});
console.error(`ready ${process.pid}`);
