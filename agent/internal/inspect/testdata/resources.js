'use strict';
// Stops in one kind of callback after the other, each inside of stores, and says each time which stores are current: one
// line of JSON, {"kind", "stores": {name of a property: 1, …} of each}. Goes on when it reads a byte.
const fs = require('fs');
const http = require('http');
const { AsyncLocalStorage, AsyncResource } = require('async_hooks');

const storages = [];
function storage() {
  storages.push(new AsyncLocalStorage());
  return storages[storages.length - 1];
}

function stop(kind) {
  const stores = storages.map((s) => s.getStore()).filter((s) => s !== undefined);
  fs.writeSync(1, JSON.stringify({ kind, stores }) + '\n');
  fs.readSync(0, Buffer.alloc(1));
}

// Callbacks that C++ code calls, one within the other. Before the first AsyncLocalStorage is used only C++ code knows them.
function nested(depth, then) {
  const { HTTPParser } = require('internal/test/binding').internalBinding('http_parser');
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {});
  parser[HTTPParser.kOnHeadersComplete] = () => (depth > 1 ? nested(depth - 1, then) : then());
  parser.execute(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
}

const first = storage();
const inside = (kind, go) => new Promise((done) => first.run({ [kind]: 1 }, go, () => done(stop(kind))));

function serve(kind) {
  return new Promise((done) => {
    const server = http.createServer((request, response) => {
      first.run({ [kind]: 1 }, stop, kind);
      response.end();
    });
    server.listen(0, '127.0.0.1', () => {
      http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (r) => r.resume().on('end', () => server.close(done)));
    });
  });
}

async function main() {
  first.run({ script: 1 }, stop, 'script');
  await null;
  stop('nothing');
  await inside('timer', (go) => setTimeout(go, 1));
  await inside('immediate', (go) => setImmediate(go));
  await inside('tick', (go) => process.nextTick(go));
  await inside('microtask', (go) => queueMicrotask(go));
  await inside('promise', (go) => Promise.resolve().then(go));
  await inside('await', async (go) => { await new Promise((r) => setTimeout(r, 1)); go(); });
  await inside('file', (go) => fs.stat('/', go));
  await inside('scope', (go) => { const r = new AsyncResource('x'); setImmediate(() => r.runInAsyncScope(go)); });
  await serve('server');
  const second = storage();
  await second.run({ outer: 1 }, () => inside('inner', (go) => setTimeout(go, 1)));
  await first.exit(() => second.run({ alone: 1 }, () => new Promise((r) => setTimeout(() => r(stop('exited')), 1))));
  // so many that the resources become dictionaries
  const many = Array.from({ length: 20 }, storage);
  await many.reduceRight((go, s, i) => () => s.run({ ['many' + i]: 1 }, go), () => inside('many', (go) => setTimeout(go, 1)))();
  for (const s of storages) s.disable();
  stop('disabled');
}

nested(70, () => first.run({ nested: 1 }, stop, 'nested'));
main();
