'use strict';
// Makes objects of known content, has V8's own printer say where they are, and writes what they hold as one line of JSON
// to standard error. Standard output is the file that is the first argument. Lives until standard input ends.
const fs = require('fs');
const vm = require('vm');

const file = fs.openSync(process.argv[2]);
let from = 0;
const buffer = Buffer.alloc(8 << 20);
function printed() {
  const n = fs.readSync(file, buffer, 0, buffer.length, from);
  from += n;
  return buffer.latin1Slice(0, Math.min(n, 4000)) + buffer.latin1Slice(Math.max(0, n - 12000), n);
}
function print(value) {
  %DebugPrint(value);
  return printed();
}
function follow(text, pattern) {
  %DebugPrintPtr(Number(BigInt(new RegExp(pattern + '(0x[0-9a-f]+)').exec(text)[1])));
  return printed();
}
const address = (text) => /DebugPrint: (0x[0-9a-f]+)/.exec(text)[1];

// Strings. concat hides what it joins from the parser, which would join constants.
const concat = (...parts) => { let s = ''; for (const p of parts) s += p; return s; };
const big = 1 << 20; // Node keeps strings from about a million characters outside of V8's heap
const flat = %FlattenString(concat('0123456789', 'abcdefghijklmnopqrstuvwxyz', '0123456789'));
const wide = %FlattenString(concat('0123456789\u4e16', 'abcdefghijklmnopqrstuvwxyz', '\u{1F600}'));
const strings = {
  'seq one byte': flat, 'seq two bytes': wide, 'latin-1': 'caf\u00e9 \u00ff', 'empty': '', 'half a pair': '\ud83d!',
  'cons': concat('0123456789', 'abcdefghij', flat), 'cons of both widths': concat('0123456789', wide, 'caf\u00e9'),
  'sliced': flat.slice(3, 40), 'sliced two bytes': wide.slice(5, 30),
  'external': Buffer.alloc(big, 'external caf\u00e9 ', 'latin1').toString('latin1'),
  'external two bytes': Buffer.alloc(2 * big, 'external \u4e16 ', 'utf16le').toString('utf16le'),
};
strings['sliced external'] = strings.external.slice(7, 90);

// Objects.
class Point {
  #secret = 'hidden';
  constructor(x) { this.x = x; this.label = 'p' + x; this.big = 1 << 30; this.half = 0.5; }
  get computed() { return 1; }
  reveal() { return this.#secret; }
}
const outside = {};
for (let i = 0; i < 14; i++) outside['out' + i] = i;
const dictionary = { a: 1, b: 2, c: 3 };
delete dictionary.a;
dictionary.list = ['zero', 1, true];
dictionary[Symbol.for('registered')] = 7;
dictionary[Symbol('free')] = 8;
Object.defineProperty(dictionary, 'computed', { get() { return 1; }, enumerable: true });
const literal = eval('({' + Array.from({ length: 100 }, (_, i) => `k${i}: ${i * 3}`) + '})');
const withAccessor = { 5: 'element' };
withAccessor.before = 1;
Object.defineProperty(withAccessor, 'between', { get() { return 2; } });
withAccessor.after = 3;
withAccessor[Symbol('sym')] = 4;
withAccessor.\u4e16\u754c = 5;
const point = new Point(7);
const objects = {
  'class with a private field': [point, { '#secret': 'hidden', x: 7, label: 'p7', big: 1 << 30 }],
  'properties out of the object': [outside, { ...outside }],
  'many properties': [literal, { ...literal }],
  'accessor and symbol': [withAccessor, { before: 1, after: 3, sym: 4, '\u4e16\u754c': 5 }],
};

// Maps.
const symbols = Array.from({ length: 40 }, (_, i) => Symbol('key ' + i));
const map = new Map(symbols.map((s, i) => [s, i * 10]));
map.set('a string', -1);
for (let i = 0; i < 5; i++) map.delete(symbols[i]);
const left = {};
for (const [k, v] of map) left[typeof k === 'symbol' ? k.description : k] = v;

// Functions return the call sites of an error that they make.
Error.prepareStackTrace = (_, sites) => sites;
const holder = { inner: {} };
function named() { return new Error().stack; }
holder.inner.anon = function () {
  return 1 &&
    new Error().stack;
};
const nameless = (() => () => new Error().stack)();
const arrow = () => new Error().stack;
class Animal {
  constructor() { this.at = new Error().stack; }
  method() { return new Error().stack; }
  static still() { return new Error().stack; }
  #hidden() { return new Error().stack; }
  get speed() { return new Error().stack; }
  async later() { return new Error().stack; }
  hidden() { return this.#hidden; }
}
const animal = new Animal();
function 世界() { return new Error().stack; }
function* generator() { return new Error().stack; }
const many = eval(`(function many() {
  ${Array.from({ length: 80 }, (_, i) => `let v${i} = ${i};`).join(' ')}
  if (v0) eval('');
  return new Error().stack; })`);
const script = (source, options) => new vm.Script(source, options).runInThisContext();
const body = 'return new Error().stack; })';
const functions = {
  'named': [named, 'named'],
  'inferred': [holder.inner.anon, %FunctionGetInferredName(holder.inner.anon)],
  'arrow': [arrow, 'arrow'],
  'anonymous': [nameless, %FunctionGetInferredName(nameless)],
  'constructor': [Animal, 'Animal', () => new Animal().at],
  'method': [animal.method, 'method'],
  'static': [Animal.still, 'still'],
  'private method': [animal.hidden(), '#hidden'],
  'async method': [animal.later, 'later', null],
  'two-byte name': [世界, '世界'],
  'generator': [generator, 'generator', () => generator().next().value],
  'names in a hash table': [many, 'many'],
  'of a script with offsets': [script('(function offsets() { ' + body, { filename: '/x/offsets.js', lineOffset: 7, columnOffset: 30 }), 'offsets'],
  'second line of a script with offsets': [script('\n (function second() { ' + body, { filename: '/x/second.js', lineOffset: 7, columnOffset: 30 }), 'second'],
  'all line ends': [script('// \u4e16\r\n\r\n\n\r/*\u2028\u2029*/ (function ends() { ' + body, { filename: '/x/\u4e16.js' }), 'ends'],
  'line ends of one byte': [script('//\r\n\r\n\n\r//\u0085 (function no() {\r(function ends1() { ' + body, { filename: 'relative' }), 'ends1'],
  'new Function': [new Function('a', 'return new Error().stack'), ''], // that its name is "anonymous" is said elsewhere
  'eval with a name': [(0, eval)('(function evaluated() { ' + body + '\n//# sourceURL=/y/url.js'), 'evaluated'],
  'eval': [(0, eval)('(function evaluated2() {' + body), 'evaluated2'],
  'mapped': [script('(function mapped() { ' + body + '\n//# sourceMappingURL=dir/mapped.js.map', { filename: '/x/mapped.js' }), 'mapped'],
  'mapped inline': [script('(function inline() { ' + body + '\n//# sourceMappingURL=data:,' + 'x'.repeat(5000), {}), 'inline'],
};
const urls = { 'mapped': 'dir/mapped.js.map', 'mapped inline': 'data:,' + 'x'.repeat(5000) };

// Code of each compiler.
const small = new Function('x', 'return x * 3 + 1;');
const make = (start) => new Function('n', 'small', `let s = ${start}; for (let i = 0; i < n; i++) s += small(i); return s;`);
const codes = { baseline: make(0), maglev: make(1), turbofan: make(2) };
for (const f of [...Object.values(codes), small]) %PrepareFunctionForOptimization(f);
for (const f of Object.values(codes)) { f(9, small); f(9, small); }
%CompileBaseline(codes.baseline);
try {
  new Function('f', '%OptimizeMaglevOnNextCall(f)')(codes.maglev);
} catch { /* this V8 knows no Maglev */ }
%OptimizeFunctionOnNextCall(codes.turbofan);
for (const f of Object.values(codes)) f(10, small);

gc(); // what is old does not move
gc();

const said = { strings: {}, objects: {}, functions: {}, codes: {}, map: {} };
// Until V8 12 two bytes went without saying, and so did sequential.
const stringType = (name) => name.replace(/^ONE_BYTE_INTERNALIZED_/, 'INTERNALIZED_ONE_BYTE_')
  .replace(/^THIN_STRING/, 'THIN_ONE_BYTE_STRING') // V8 11 has one type for both widths
  .replace(/^((?!.*_(?:ONE|TWO)_BYTE_)[A-Z]+_)STRING/, '$1TWO_BYTE_STRING').replace(/^STRING/, 'SEQ_TWO_BYTE_STRING').replace(/^ONE_/, 'SEQ_ONE_');
const sayString = (k, v) => {
  const text = print(v);
  said.strings[k] = { at: address(text), type: stringType(/([A-Z_]*STRING_TYPE)/.exec(text)?.[1]), length: v.length, head: v.slice(0, 600) };
};
for (const [k, v] of Object.entries(strings)) sayString(k, v);
for (const [k, [v, want]] of Object.entries(objects)) said.objects[k] = { at: address(print(v)), want };
said.dictionary = { at: address(print(dictionary)), list: address(print(dictionary.list)), secret: address(print(point)) };
said.map = { at: address(print(map)), want: left, symbol: address(print(symbols[9])), hash: Number(/hash: (\d+)/.exec(print(symbols[9]))[1]) };
for (const [k, [f, name, call = f]] of Object.entries(functions)) {
  const site = call && call.call(animal)[0];
  said.functions[k] = { at: address(print(f)), name, id: %FunctionGetScriptId(f), isAsync: !call,
    start: %FunctionGetScriptSourcePosition(f), text: f.toString(), url: urls[k],
    line: site?.getLineNumber(), column: site?.getColumnNumber(), file: site?.getScriptNameOrSourceURL() };
}
for (const [k, f] of Object.entries(codes)) {
  const text = print(f);
  const code = follow(text, ' - code: ');
  said.codes[k] = { at: address(text), kind: /(?:- kind: |^kind = )(\w+)/m.exec(code)?.[1],
    start: /Instructions \(size = \d+\)\n(0x[0-9a-f]+)/.exec(code)?.[1], size: Number(/Instructions \(size = (\d+)\)/.exec(code)?.[1]) };
}
// The collector takes thin strings away: this is the last thing to do, with room for all that it allocates. A minor
// collection leaves what is old where it was.
gc({ type: 'minor' });
const table = { 'a string that is in the string table': 1 };
const thin = %FlattenString(concat('a string that is ', 'in the string table'));
table[thin]++;
sayString('thin', thin);
fs.writeSync(2, JSON.stringify(said) + '\n');
process.stdin.resume();
