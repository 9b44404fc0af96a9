'use strict';

// A program that dies with known values on the stack: each frame of hold has one as its first argument, the last one
// first. TRUTH, a file, gets what util.inspect makes of them, in the same order.
//
//   node --abort-on-uncaught-exception values.js TRUTH

const { writeFileSync } = require('fs');
const { inspect } = require('util');

class Point {
  #hidden = 1;
  constructor(x, y) { this.x = x; this.y = y; this.sum = this.#hidden + x + y; }
}
class Point3 extends Point {
  constructor(x, y, z) { super(x, y); this.z = z; }
}
class List extends Array {}
const tagged = { [Symbol.toStringTag]: { value: 't' }, x: { value: 1, enumerable: true } };
class Tagged {
  constructor(a) { if (a) this.a = a; }
}
Object.defineProperty(Tagged.prototype, Symbol.toStringTag, { value: 'tag' });

const around = { name: 'around', list: [] };
around.self = around;
around.list.push(around, { around });

const slow = {};
for (let i = 0; i < 40; i++) slow[`key${i}`] = i;
delete slow.key7;
slow.added = 'later';

const holes = [1, , 3];
holes[6] = 'x';
const doubles = [0.5, , -0, 1e21, NaN];
doubles.length = 8;
const named = [1, 2];
named.extra = true;
const half = 'a string of some length, '.repeat(3);
const flat = `${half}${Math.random() > 2}`;
JSON.stringify({ [flat]: 1 });

const hidden = { seen: 1 };
Object.defineProperty(hidden, 'unseen', { value: 2 });
Object.defineProperty(hidden, 'last', { value: 3, enumerable: true });

const values = [
  0, -1, 41, 2 ** 31 - 1, 2 ** 31, -(2 ** 40), 0.1, -0, 1e21, 123456789012345680000, 1e-7, 0.000001, 1.5e300, NaN,
  -Infinity, true, false, null, undefined, Symbol('tag'), Symbol(),
  '', 'plain', "it's", `it's "quoted"`, 'it\'s "all" `three`', 'line\nbreak\ttab\\ \x00\x1b\x7f\x9f', 'né', '中文 \u{1f600}',
  '\ud83d alone', half.slice(3, 40), half + flat, flat, 'x'.repeat(10050), `${'long line '.repeat(12)}\nsecond\n`,
  {}, [], [[]], [{}], { a: 1 }, { a: { b: { c: { d: 1 } } } }, [[[[[]]]], [[[['deep']]]]],
  { 'not-plain': 1, $dollar: 2, _under: 3, 12: 'number', 3: 'first', ünicode: 4, "it's": 5, [Symbol('key')]: 6 },
  new Point(1, 2), new Point3(1, 2, 3), { p: new Point(1, 2), deep: { q: { r: new Point3(1, 2, 3) } } },
  Object.create(null), Object.assign(Object.create(null), { a: 1, b: { c: { d: { e: 1 } } } }),
  Point.prototype, Point3.prototype, Object.create({ constructor: 5 }), Object.create(Point.prototype), List.from([1, 2, 3]), new List(),
  around, slow, holes, doubles, named, hidden, [, ,], [undefined, null], new Array(3), [1, 2, 3, 4, 5, 6, 7],
  Array.from({ length: 120 }, (_, i) => i * 3), Array.from({ length: 101 }, (_, i) => `item ${i}`),
  Array.from({ length: 30 }, (_, i) => i / 4), Array.from({ length: 9 }, (_, i) => ({ i })),
  { get a() { return 1; }, set a(x) {}, get b() { return 2; }, set c(x) {} },
  { text: 'a text that is so long that it has a line of its own in what is printed', list: [1, 2, 3], more: [4, 5] },
  { wide: { wider: { a: 'x'.repeat(30), b: 'y'.repeat(30), c: 'z'.repeat(30) } }, text: `${'in an object '.repeat(9)}\nx` },
  JSON, { a: { b: { c: JSON, d: Object.create(null, tagged) } } }, Object.create(null, tagged), new Tagged(), { t: new Tagged(2), u: { v: { w: new Tagged(3) } } },
  Object.assign(Object.create({ [Symbol.toStringTag]: 'inherited' }), { a: 1 }), { [Symbol.toStringTag]: 'own' },
  { a: [{ b: { c: {} } }], d: [[[]]], e: [[[1]]], f: new Point({}, [new Point(1, [])]) },
];

// What is not read yet: TRUTH has null.
const unread = [
  Point, hold, () => 1, new Map([[1, 2]]), new Set([1]), new WeakMap(), new Date(), /x/, Promise.resolve(1), 12n,
  new Error('e'), new Proxy({}, {}), new ArrayBuffer(8), new Uint8Array(4), Buffer.from('abc'), Object(1), globalThis,
  process, (function () { return arguments; })(1, 2), [1][Symbol.iterator](), Object.assign(() => 1, { a: 1 }),
];

function hold(value, rest) {
  if (rest.length > 0) return hold(rest[0], rest.slice(1)) + 1;
  writeFileSync(process.argv[2], JSON.stringify([...values.map((v) => inspect(v)), ...unread.map(() => null)].reverse()));
  throw new Error('nobody catches this');
}

hold(values[0], [...values.slice(1), ...unread]);
