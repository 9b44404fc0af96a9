'use strict';
// Stands still on a stack of many kinds of frame, in a request: optimised, baseline and interpreted code, builtins that call
// back, C++ below and above JavaScript. Says on standard error, as one line of JSON, which of its functions are on the
// stack and where, by new Error().stack, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const wait = Buffer.alloc(1);
Error.stackTraceLimit = Infinity;
Error.prepareStackTrace = (error, sites) => sites.filter((site) => site.getFileName() === __filename).map((site) => (
  { Name: site.getFunctionName() ?? '(anonymous)', Line: site.getLineNumber(), Column: site.getColumnNumber() }));

// One call says where it is, then waits there: the place is the same.
function standStill() { for (const call of [say, fs.readSync]) call(0, wait); }
function say() { fs.writeSync(2, JSON.stringify({ Stack: new Error().stack.slice(1) }) + '\n'); }

class Basket {
  constructor(then) { this.then = then; }
  sort() { [2, 1].sort((a, b) => { this.parse(); return a - b; }); }
  parse() { JSON.parse('{"a":1}', (key, value) => { if (key === 'a') this.map(); return value; }); }
  map() { [1].map(function each() { return this.replace(); }, this); }
  replace() { 'x'.replace(/x/, () => { hot(this.then); return ''; }); }
}

// Warm before it is used: V8 compiles it by its last compiler.
function hot(then) { return warm(then) + 1; }
function warm(then) { return then() ? 1 : 2; }
for (let i = 0; i < 2e5; i++) hot(() => i & 1);

const request = new AsyncLocalStorage({ name: 'request' });
request.run({ route: '/basket/:id', user: { id: 41 } }, function handle() { new Basket(standStill).sort(); });
