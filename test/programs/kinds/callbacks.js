'use strict';

const { begin, going, matching } = require('./meter');

function burn() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  return 1;
}

// once gives a callback that burns when it is called for the first time.
const once = () => {
  let first = true;
  return function callback() {
    if (!first) return 0;
    first = false;
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 0;
  };
};

const list = [3, 1, 2];
const later = (schedule) => new Promise((resolve) => schedule(() => { burn(); resolve(); }));

class Listed extends Array {}

const iterable = {
  * [Symbol.iterator]() {
    burn();
    yield [1, 2];
  },
};

const thenable = {
  then(resolve) {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    resolve();
  },
};

function regexp() {
  const re = /^(?:\d|(a|b|é)+x)+$/;
  const text = '12abababx'.repeat(300) + 'y';
  for (let n = 0; n < 20; n++) re.test('12abx');
  matching(re);
  let x = begin(); do for (let i = 0; i < 5; i++) x = (x + re.test(text)) | 0; while (going(x));
}

function regexpOfTwoBytes() {
  const re = /世(界|a)*\u00e9(?<rest>.*)end/g;
  const text = '世界aaaa界'.repeat(50);
  for (let n = 0; n < 20; n++) '世界aaé'.replace(re, '');
  matching(re);
  let x = begin(); do for (let i = 0; i < 5; i++) x = (x + text.replace(re, '$1').length) | 0; while (going(x));
}

module.exports = {
  map: () => list.map(once()),
  forEach: () => list.forEach(once()),
  filter: () => list.filter(once()),
  reduce: () => list.reduce(once()),
  find: () => list.find(once()),
  sort: () => [...list].sort(once()),
  flatMap: () => list.flatMap(once()),
  arrayFrom: () => Array.from(list, once()),
  mapOfSubclass: () => Listed.from(list).map(once()),
  typedSort: () => new Float64Array(list).sort(once()),
  mapForEach: () => new Map([[1, 2]]).forEach(once()),
  setForEach: () => new Set([1]).forEach(once()),
  replace: () => 'text'.replace(/e/, once()),
  replaceAll: () => 'text'.replace('t', once()),
  parseReviver: () => JSON.parse('{"a":[1,2]}', once()),
  stringifyReplacer: () => JSON.stringify({ a: [1, 2] }, once()),
  toJSON: () => JSON.stringify({ toJSON: once() }),
  fromEntries: () => Object.fromEntries(iterable),
  promiseExecutor: () => new Promise((resolve) => resolve(burn())),
  promiseThen: () => Promise.resolve().then(burn),
  promiseFinally: () => Promise.resolve().finally(burn),
  thenable: () => Promise.resolve(thenable),
  microtask: () => later(queueMicrotask),
  nextTick: () => later(process.nextTick),
  timeout: () => later(setTimeout),
  immediate: () => later(setImmediate),
  event: () => new (require('node:events'))().on('it', burn).emit('it'),
  read: () => later((done) => require('node:fs').stat(__filename, done)),
  regexp,
  regexpOfTwoBytes,
};
