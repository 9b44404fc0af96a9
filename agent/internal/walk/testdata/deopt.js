'use strict';
// Leaves optimised code for the interpreter, in functions that are inlined: at once ("eager"), or when a call returns that has
// thrown the code away ("lazy"). Before that it waits until it is traced, in that call. Says on standard error, as one line of JSON, which of its
// functions are on the stack then and where, by new Error().stack, but for the script itself, which is elsewhere then.
const fs = require('fs');

const lazy = process.argv[2] === 'lazy';
let says;
Error.stackTraceLimit = Infinity;
Error.prepareStackTrace = (error, sites) => sites.filter((site) => site.getFileName() === __filename).map((site) => (
  { Name: site.getFunctionName() ?? '(anonymous)', Line: site.getLineNumber(), Column: site.getColumnNumber() }));

function outer(x) { return 1 + middle(x); }
function middle(x) { return 1 + leaf(x); }
function leaf(x) { return lazy ? called(x) + 1 : x === null ? called(x) : x + 1; }

// The same call as of the functions before it, so that the place is the same.
function run(x) { return outer(x); }

function called(x) {
  if (x === null) says = new Error().stack.slice(1, -1);
  if (x === 0.5) {
    %DeoptimizeFunction(outer);
    awaitTracer();
  }
  return 1;
}

function awaitTracer() {
  const never = new Int32Array(new SharedArrayBuffer(4));
  fs.writeSync(2, JSON.stringify({ Stack: says }) + '\n');
  for (let i = 0; i < 3000 && /^TracerPid:\s+0$/m.test(fs.readFileSync('/proc/self/status', 'latin1')); i++) {
    Atomics.wait(never, 0, 0, 10);
  }
}

%NeverOptimizeFunction(run);
%NeverOptimizeFunction(called);
for (const f of [outer, middle, leaf]) %PrepareFunctionForOptimization(f);
for (const x of [null, 1, 2, null]) run(x);
for (const f of [outer, middle, leaf]) %PrepareFunctionForOptimization(f);
run(3);
%OptimizeFunctionOnNextCall(outer);
run(4);

if (!lazy) awaitTracer();
for (const x of [5, 0.5, 6]) run(x);
