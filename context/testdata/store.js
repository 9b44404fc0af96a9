'use strict';
// Makes stores as an application and the OpenTelemetry SDK have them, has V8's own printer say where they are, and
// writes that as one line of JSON to standard error. Standard output is the file that is the first argument. Lives until
// standard input ends.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const file = fs.openSync(process.argv[2]);
const buffer = Buffer.alloc(1 << 20);
let from = 0;
function address(value) {
  %DebugPrint(value);
  const n = fs.readSync(file, buffer, 0, buffer.length, from);
  from += n;
  return /DebugPrint: (0x[0-9a-f]+)/.exec(buffer.latin1Slice(0, n))[1];
}

const span = Symbol.for('OpenTelemetry Context Key SPAN');
const other = Symbol('another key');
class SpanContext { constructor() { this.traceId = '4bf92f3577b34da6a3ce929d0e0e4736'; this.spanId = '00f067aa0ba902b7'; } }
class Span { constructor() { this.kind = 1; this._spanContext = new SpanContext(); } }
class Context { constructor() { this.getValue = () => 1; this._currentContext = new Map([[other, 5], [span, new Span()]]); } }

const user = { id: 41, tenant: 'acme' };
const plain = { unused: 1, endpoint: 77, user };
const wide = {};
for (let i = 0; i < 13; i++) wide['w' + i] = 100 + i;
const dictionary = { endpoint: 1, gone: 2 };
delete dictionary.endpoint;
const getter = Object.defineProperty({}, 'endpoint', { get: () => 1 });
const symbol = { [Symbol('endpoint')]: 1 };
const values = { context: new Context(), plain, user, wide, dictionary, getter, symbol, array: [1], string: 'a string' };
const storages = { session: new AsyncLocalStorage({ name: 'session' }), other: new AsyncLocalStorage({ name: 'other' }), unnamed: new AsyncLocalStorage() };
gc(); // what is old does not move
gc();
const says = { values: {}, storages: {}, named: storages.session.name === 'session' };
for (const [k, v] of Object.entries(values)) says.values[k] = address(v);
for (const [k, v] of Object.entries(storages)) says.storages[k] = address(v);
values.spanContext = [...values.context._currentContext.values()][1]._spanContext;
values.span = [...values.context._currentContext.values()][1];
for (const k of ['span', 'spanContext']) says.values[k] = address(values[k]);
says.named = storages.session.name === 'session'; // before Node 24 they have no names
says.map = address(values.context._currentContext);
%DebugPrint(span);
says.hash = Number(/hash: (\d+)/.exec(buffer.latin1Slice(0, fs.readSync(file, buffer, 0, buffer.length, from)))[1]);
fs.writeSync(2, JSON.stringify(says) + '\n');
process.stdin.resume();
