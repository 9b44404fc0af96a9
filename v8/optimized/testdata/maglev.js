'use strict';
// Has Maglev compile a function that calls in many ways, and V8's own printer say on standard output what the code keeps
// for the deoptimiser (--print-maglev-code --print-code-verbose). Callbacks take all arguments that they get: the printer
// of V8 13.6 crashes at INLINED_EXTRA_ARGUMENTS. Writes "ready" on standard error; lives until standard input ends.

function outside(n) { return n < 0 ? new Error().stack : n; }
%NeverOptimizeFunction(outside);

class Point {
  constructor(n) { this.n = outside(n); }
  get twice() { return outside(this.n) * 2; }
}
const list = [1, 2, 3];
function inner(n) { return outside(n) + 1; }
function middle(n) {
  try { return inner(n) ^ inner(n + 1); } catch { return outside(0); }
}
function all(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += middle(i);
    sum += new Point(i).twice;
    list.forEach((x, at, of) => { sum += outside(x); });
    sum += list.map((x, at, of) => inner(x)).length;
  }
  return sum;
}

for (const f of [inner, middle, Point, all]) %PrepareFunctionForOptimization(f);
for (let i = 0; i < 400; i++) all(5);
%OptimizeMaglevOnNextCall(all);
all(5);
%DebugPrint(all);
require('node:fs').writeSync(2, 'ready\n');
process.stdin.resume();
