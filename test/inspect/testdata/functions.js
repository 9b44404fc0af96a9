'use strict';

// A program that dies with functions on the stack: each frame of hold has one as its first argument, the last one first.
// TRUTH, a file, gets what V8's inspector and toString say of them, and the variables that their scopes have, innermost
// first, in the same order.
//
//   node --abort-on-uncaught-exception functions.js TRUTH

const { writeFileSync } = require('fs');
const { inspect } = require('util');
const { Session } = require('inspector');

const list = [];
function add(fn, ...scopes) {
  list.push({ fn, scopes: scopes.map((s) => Object.fromEntries(Object.entries(s).map(([k, v]) => [k, inspect(v)]))) });
}

(function counter(limit) {
  let count = 0;
  const seen = new Map([['a', { limit }]]);
  function up() { return count++ < limit && seen; }
  for (let i = 0; i < 3; i++) up();
  add(up, { limit: 5, count, seen });
  add(() => count, { limit: 5, count, seen });
})(5);

function outer(name) {
  const secret = { of: name };
  return function inner(unused) {
    let last = 1.5;
    return { get: () => [secret, last, name], set(v) { last = v; } };
  };
}
const made = outer('Ada')();
made.set(2.5);
add(made.get, { last: 2.5 }, { name: 'Ada', secret: { of: 'Ada' } });
add(made.set, { last: 2.5 }, { name: 'Ada', secret: { of: 'Ada' } });
made.set('text');

// A function expression that uses its own name has it behind its other variables.
(function self(p, q = 5) { add(() => [p, q, self], { p, q, self }); })('P');
(function alone() { add(() => alone, { alone }); })();
(function () {
  'use strict';
  (function strict(p) { eval('1'); add(() => [p, strict], { p, strict, this: undefined, arguments, '.new.target': undefined }); })(1);
})();

// What V8 from 14 on keeps in cells: variables that change.
function changed(...values) {
  let n = 1;
  const set = (value) => { n = value; };
  for (const v of values) for (let i = 0; i < 1000; i++) set(v);
  add(set, { n });
}
changed(2, 3);
changed(2 ** 31 - 1, 2 ** 31 - 5);
changed(-(2 ** 31) + 1, 0.5, -0);
changed(0.5, NaN);
changed(0.5, 'text');
changed(5, undefined);

class Account {
  #owner = 'Ada';
  charge(n) { return [this.#owner, n]; }
  static async open() { await null; }
  * steps() { yield 1; }
}
add(Account);
add(Account.prototype.charge);
add(Account.open);
add(Account.prototype.steps);
add(function neverCalled(a, b) { return a + b + list.length; });
add(async (x) => x);
add(add.bind(null));

const session = new Session();
session.connect();
function place(fn) {
  globalThis.asked = fn;
  let out;
  session.post('Runtime.evaluate', { expression: 'asked' }, (_, { result }) => {
    session.post('Runtime.getProperties', { objectId: result.objectId, ownProperties: true }, (_, r) => {
      const at = r.internalProperties.find((p) => p.name === '[[FunctionLocation]]');
      out = at && at.value && at.value.value;
    });
  });
  return out && { line: out.lineNumber + 1, column: out.columnNumber + 1 };
}

function hold(value, rest) {
  if (rest.length > 0) return hold(rest[0], rest.slice(1)) + 1;
  throw new Error('nobody catches this');
}

for (const f of list) {
  f.source = f.fn.name.startsWith('bound ') ? add.toString() : f.fn.toString();
  f.place = f.fn.name.startsWith('bound ') ? place(add) : place(f.fn);
}
session.disconnect();
const last = list.filter((f) => f.scopes[0] && f.scopes[0].last);
last[0].scopes[0].last = last[1].scopes[0].last = inspect('text');
writeFileSync(process.argv[2], JSON.stringify(list.map(({ fn, ...rest }) => rest).reverse()));
hold(list[0].fn, list.slice(1).map((f) => f.fn));
