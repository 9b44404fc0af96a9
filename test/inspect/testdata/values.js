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
  { ['__proto__']: 1, [Symbol("it's")]: 2, [Symbol('a\nb\\"')]: 3 }, JSON.parse('{ "__proto__": { "a": 1 } }'),
  new Function('a', 'return a'), Function('return 1'), new (function* () {}.constructor)('yield 1'),
  new (async function () {}.constructor)('await 1'), function anonymous() {}, (() => function () {})(),
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

// The values of JavaScript's own classes: most are made by functions, for what one Node.js has not, another has.
class Counter extends Map {}
class Bag extends Set {}
class Failure extends Error {
  constructor(message) { super(message); this.code = 'E_FAILURE'; }
}
class Named extends Error {
  get name() { return 'Named'; }
}
class Bytes extends Uint8Array {}
class Later extends Promise {}
const anonymous = (() => class {})();
function* count() { yield 1; }
async function* countLater() { yield 1; }
const mixed = new Map([['a', 1], [{ k: 1 }, [1, 2, { deep: { deeper: { deepest: 1 } } }]], [NaN, new Map([[1, new Set([1])]])]]);
mixed.set('gone', 1);
mixed.delete('gone');
mixed.set('self', mixed);
const detached = new ArrayBuffer(8);
const cut = new Uint8Array(detached);
new MessageChannel().port1.postMessage(null, [detached]);
const shared = new Uint8Array(new SharedArrayBuffer(4));
shared.set([1, 2, 3, 255]);
const bytes = Uint8Array.from({ length: 300 }, (_, i) => i);
const rejected = Promise.reject(new Failure('rejected'));
rejected.catch(() => {});
const sparse = [1];
sparse[5000000] = 'far';
const indexed = { 4000000000: 'far', 7: 'near', name: 1 };
const getters = [1, 2];
Object.defineProperty(getters, 1, { get() { return 1; }, enumerable: true });

function failed(make, limit = 2) {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = limit;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = before;
  }
}

function made(text) {
  try {
    return new Function(`return ${text}`)();
  } catch {
    return undefined;
  }
}

// twins are equal to values that util.inspect must not see: it has iterators go on to the table of their Map.
const twins = new Map();
const texts = new Map();

// grown is an iterator of a Map that has another table by now.
function grown(change = () => {}, twin = grown(change, null)) {
  const map = new Map([[1, 2], [3, 4], [5, 6], [7, 8]]);
  const iterator = advanced(map.keys(), 3);
  change(map);
  for (let i = 10; i < 100; i++) map.set(i, i);
  twins.set(iterator, twin);
  return iterator;
}

class Faked {}
Faked.prototype.constructor = function Fake() {};
function Bare() { this.a = 1; }
Bare.prototype = Object.create(null);
function Before() { this.a = 1; }
const before = new Before();
Before.prototype = { later() {} };
function NoObject() {}
NoObject.prototype = 5;
class Primitive {}
Primitive.prototype.constructor = NoObject;
class Native {}
Native.prototype.constructor = Math.max;
class Bound {}
Bound.prototype.constructor = Bound.bind();
const bare = (value) => Object.setPrototypeOf(value, null);

const own = [
  new Faked(), new Bare(), { b: { c: { d: new Bare() } } }, { b: { c: { d: { e: new Bare() } } } }, before, new Before(), new Primitive(), new Native(), new Bound(),
  bare(new Bare()), bare(new Point3(1, 2, 3)), bare(new Before()), { b: { c: { d: bare(new Bare()) } } }, Object.create(Object.create(null)), Object.create(bare([1])),
  Object.create(Object.assign(Object.create(null), { a: 1 })), Object.create(Object.create(bare(new Point(1, 2)))), Object.setPrototypeOf(class Odd {}, Object.create(null)),
  Object.setPrototypeOf(new Bare(), Object.create({ __proto__: null, [Symbol.toStringTag]: 't' })), new (class Under extends Bare {})(), Object.create({ constructor: Point }), Object.create(Bare),
  new Map(), new Map([[1, 2]]), mixed, new Counter([['x', 1]]), Object.assign(new Map([[1, 2]]), { extra: 1, 3: 4 }),
  new Map(Array.from({ length: 130 }, (_, i) => [i, `value ${i}`])), { m: { n: { o: new Map([[1, 1]]), p: new Map() } } },
  new Set(), new Set([1, 'two', [3]]), new Bag([1]), new Set(Array.from({ length: 101 }, (_, i) => i)),
  { s: { t: { u: new Set([1]), v: new Bag() } } }, new WeakMap(), new WeakSet([{}]), Object.assign(new WeakMap(), { a: 1 }),
  new Date(0), new Date(NaN), new Date(1700000000123), new Date(-1), new Date(8.64e15), new Date(-8.64e15),
  new Date(-62198755200000), Object.assign(new Date(0), { zone: 'UTC' }), new (class Day extends Date {})(5),
  /x/, /a\/b[/]/gimsuy, new RegExp('/'), new RegExp('\n'), new RegExp(''), /é中/u, made('/x/dg'), made('/[a--b]/v'),
  Object.assign(/x/, { a: 1 }), { r: { s: { t: Object.assign(/deep/, { a: 1 }) } } }, new (class Pattern extends RegExp {})('a', 'g'),
  Promise.resolve(1), new Promise(() => {}), rejected, Promise.resolve({ a: { b: { c: {} } } }), Later.resolve('x'),
  Object.assign(Promise.resolve(), { id: 1 }), (async () => 5)(),
  0n, 12n, -12n, 2n ** 64n, 2n ** 64n - 1n, -(3n ** 200n), [1n, 2n, 3n, 4n, 5n, 6n, 7n], 10n ** 40n,
  Object(1), Object('boxed'), Object(true), Object(Symbol('s')), Object(7n), Object(-0), Object.assign(Object('ab'), { x: 1, 9: 2 }),
  new (class Num extends Number {})(3), Object(false), Object(0.5), [Object('it\'s')],
  new ArrayBuffer(0), new ArrayBuffer(8), bytes.buffer, shared.buffer, detached, new (class Store extends ArrayBuffer {})(2),
  Object.assign(new ArrayBuffer(1), { a: 1 }), { b: { u: { f: new ArrayBuffer(2) } } }, made('(() => { const b = new ArrayBuffer(4, { maxByteLength: 8 }); new Uint8Array(b).fill(7); return b; })()'),
  new Uint8Array([1, 2, 255]), new Int8Array([-1, 127, -128]), new Uint16Array([65535]), new Int16Array([-32768]),
  new Uint32Array([4294967295]), new Int32Array([-2147483648]), new Float32Array([0.5, -0, NaN, 1e10, 0.1]),
  new Float64Array([0.1, Infinity]), new Uint8ClampedArray([300, -1, 7]), new BigInt64Array([-1n, 5n]),
  new BigUint64Array([2n ** 64n - 1n]), made('new Float16Array([1.5, -0.1, 65504, NaN, Infinity, 6e-8])'),
  new Uint8Array(0), bytes, bytes.subarray(10, 13), new Float64Array(20), shared, new Bytes(3), cut,
  Object.assign(new Uint8Array(2), { note: 'x' }), { t: { y: { p: new Int8Array(1), q: new Int8Array(0) } } },
  ...(ArrayBuffer.prototype.resize ? resized() : []),
  new DataView(new ArrayBuffer(8), 1, 3), new DataView(shared.buffer),
  Buffer.from('abc'), Buffer.alloc(0), Buffer.alloc(60, 7), Buffer.alloc(51), { body: Buffer.from('hello') }, Buffer.allocUnsafeSlow(2).fill(1),
  { d: { e: { e: { p: Buffer.from('deep') } } } },
  Point, Point3, hold, () => 1, async () => 1, async function later() {}, count, countLater, anonymous, class extends Point {},
  class Static { static kind = 1; static name = 'other'; }, Object.assign(() => 1, { a: 1 }), Object.assign(function f() {}, { f: { g: { h: {} } } }),
  hold.bind(null), (() => 1).bind(), hold.bind().bind(), (async () => 1).bind(), Math.max, Array, Promise, Object.setPrototypeOf(function plain() {}, null),
  { method() {} }.method, { async *both() {} }.both, { get g() { return 1; } }, Object.getOwnPropertyDescriptor({ get g() { return 1; } }, 'g').get,
  [function inList() {}, class InList {}], { x: function () {} }.x, ((o) => { o.y = function () {}; return o.y; })({}),
  Object.defineProperty(() => 1, 'name', { value: 'renamed' }), { deep: { deep: { deep: Object.assign(function f() {}, { a: 1 }) } } },
  (function () { return arguments; })(1, 'two'), (function () { 'use strict'; return arguments; })(3),
  (function (a, b) { a = 'assigned'; return [arguments, () => b]; })(1, 2, 3)[0], (function () { return arguments; })(),
  count(), countLater(), [1][Symbol.iterator](), 'x'[Symbol.iterator](), { g: { h: { i: { j: count() } } } },
  new Proxy({ a: 1 }, { get() { return 2; } }), new Proxy([1, 2], {}), new Proxy(hold, {}), Proxy.revocable({}, {}).proxy,
  ((r) => { r.revoke(); return r.proxy; })(Proxy.revocable({}, {})), { p: { r: { o: new Proxy({}, {}), x: { y: new Proxy({}, {}) } } } },
  failed(() => new Error('plain')), failed(() => new TypeError('two\nlines')), failed(() => new Failure('with code')), failed(() => new Named('n')),
  failed(() => new Error('no stack'), 0), failed(() => new Error(), 1), failed(() => Object.assign(new Error('x'), { name: 'Renamed', a: [1] })),
  failed(() => Object.assign(new Error('changed'), { message: 'changed later' })), failed(() => ({ nested: { error: new RangeError('in an object') } })),
  failed(() => Object.assign(new Error('own stack'), { stack: 'a stack\n    at nowhere' })), failed(() => Object.assign(new Error('gone'), { stack: undefined })),
  failed(() => Object.assign(new Error('e'), { cause: new TypeError('why') })), failed(() => new Error('caused', { cause: new Error('by') }), 1),
  failed(() => { const e = new Error('has'); Object.defineProperty(e, 'cause', { value: 'text' }); return e; }),
  failed(() => new AggregateError([new Error('one'), 2], 'several')), failed(() => Object.setPrototypeOf(new Error('no prototype'), null)),
  failed(() => { const e = {}; Error.captureStackTrace(e); return e; }), failed(() => { const e = new Error('deleted'); delete e.stack; return e; }),
  failed(() => [new SyntaxError('in a list')]), failed(() => made('{ a: { b: { c: { d: new Error("deep") } } } }')),
  sparse, indexed, getters, Object.freeze([1, , 'x']), Object.seal({ a: 1, 5: 2 }), new (require('v8').Serializer)(),
  advanced(mixed.entries()), mixed.keys(), mixed.values(), new Map().keys(), advanced(new Set([1]).values(), 2), new Set([1, { a: [] }]).values(),
  new Set([1, 'two', [3]]).entries(), Object.assign(new Map([[1, 2]]).entries(), { extra: 1 }), { i: { j: { k: new Set([1]).values(), l: new Map().entries() } } },
  new Set(Array.from({ length: 130 }, (_, i) => i)).values(), advanced(new Map(Array.from({ length: 104 }, (_, i) => [i, 'value ' + i])).entries(), 3),
  new WeakRef({ a: 1 }), new (class Weak extends WeakRef {})(mixed), { w: { r: { f: { a: new WeakRef(mixed) } } } }, new FinalizationRegistry(() => {}),
  'ab'.matchAll(/a/g), new Intl.Collator(), new Intl.NumberFormat('en'), new Intl.DateTimeFormat('en'), Object.assign(new Intl.PluralRules('en'), { a: 1 }),
  new Intl.Locale('en'), new Intl.ListFormat('en'), new Intl.RelativeTimeFormat('en'), new Intl.DisplayNames('en', { type: 'region' }),
  made('new Intl.Segmenter("en")'), made('new Intl.Segmenter("en").segment("a b")'), made('new Intl.DurationFormat("en")'),
  new WebAssembly.Memory({ initial: 1 }), new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  new WebAssembly.Table({ initial: 1, element: 'anyfunc' }), new WebAssembly.Global({ value: 'i32' }, 1),
  parseInt(process.versions.node) < 22 || new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))),
  made('[1].values().map((x) => x)'), made('[1].values().filter(Boolean)'), made('[1].values().take(1)'),
  grown(), grown((map) => { map.delete(1); map.delete(5); map.delete(40); }), grown((map) => { map.clear(); map.set('a', 1); }), grown((map) => map.clear()),
  made('new DisposableStack()'), made('new AsyncDisposableStack()'), new (class Hidden { #m() {} get #g() { return 1; } static #s() {} })(),
  globalThis, { g: { l: { o: { b: globalThis } } } },
  unlisted([1, 2, 3]), unlisted({ 0: 1, 1: 2 }), Object.defineProperty([1, 2, 3], 1, { get() { return 9; } }),
  Object.assign({ name: 1 }, Array(150).fill('x')), Object.fromEntries(Array.from({ length: 150 }, (_, i) => [i * 1000, i / 2])),
  (function () { return arguments; })(...Array(150).fill(0)), distant(4294967295), distant(2 ** 31, 3, 2 ** 31 - 1), distant(4294967295, 4294967294),
  Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`id ${i}`, i])),
  withoutName(function once() {}), Object.defineProperty(() => 1, 'name', { value: 5 }), renamed(function before() {}),
  new (class { [Symbol.toStringTag] = 't'.repeat(300); })(), made(`class ${'C'.repeat(300)} {}`), { [Symbol('s'.repeat(1024))]: 1 },
  told(made(`class ${'C'.repeat(1025)} {}`), `[class ${'C'.repeat(1024)}…]`), told(Symbol(Buffer.alloc(1025, 's').toString()), `Symbol(${'s'.repeat(1024)}…)`),
  told({ ['k'.repeat(10005)]: 1 }, `{\n  ${'k'.repeat(10000)}... 5 more characters: 1\n}`),
  told(new RegExp('r'.repeat(10001)), `/${'r'.repeat(10000)}... 1 more character/`),
  told(Object.assign(Object.create(new Proxy({}, {})), { a: 1 }), '<Proxy> { a: 1 }'),
];

function unlisted(value) {
  return Object.defineProperty(value, 1, { enumerable: false });
}

// resized are buffers that have changed their length, and what shows them.
function resized() {
  const out = [];
  for (const end of [13, 6]) {
    const buffer = new ArrayBuffer(8, { maxByteLength: 64 });
    out.push(buffer, new Uint8Array(buffer), new Uint16Array(buffer, 2), new Uint8Array(buffer, 2, 4), new DataView(buffer, 2),
      new Float32Array(buffer, 4, 1), new BigInt64Array(buffer), new DataView(buffer, 1, 3), Buffer.from(buffer));
    buffer.resize(end);
    out[out.length - 8].fill(7);
  }
  const shared = new SharedArrayBuffer(4, { maxByteLength: 16 });
  out.push(shared, new Int8Array(shared), new DataView(shared, 1), new Int16Array(shared, 2, 1));
  shared.grow(9);
  out[out.length - 3].fill(-1, 3);
  return out;
}

// distant is an array of some length, most of which is empty.
function distant(length, ...indexes) {
  const out = [];
  for (const i of indexes) out[i] = i;
  out.length = length;
  return out;
}

function withoutName(fn) {
  delete fn.name;
  return fn;
}

// renamed is bound before the function that it calls gets another name.
function renamed(fn) {
  const bound = fn.bind();
  Object.defineProperty(fn, 'name', { value: 'after' });
  return bound;
}

// told notes what is to be printed of a value, of which util.inspect says more.
function told(value, text) {
  texts.set(value, text);
  return value;
}

globalThis.added = { to: 'the global object' };
globalThis.deleted = 1;
delete globalThis.deleted;
Object.defineProperty(globalThis, 'performance', { value: 1 }); // it prints itself


// What is not read: TRUTH has null.
const unread = [process.env, require('vm').runInNewContext('globalThis')];

// advanced has an iterator give n of its values.
function advanced(iterator, n = 1) {
  for (let i = 0; i < n; i++) iterator.next();
  return iterator;
}

function hold(value, rest) {
  if (rest.length > 0) return hold(rest[0], rest.slice(1)) + 1;
  const all = [...values, ...own];
  writeFileSync(process.argv[2], JSON.stringify([...all.map((v) => texts.get(v) || inspect(twins.get(v) || v, { showProxy: true })), ...unread.map(() => null)].reverse()));
  throw new Error('nobody catches this');
}

hold(values[0], [...values.slice(1), ...own, ...unread]);
