'use strict';

// Seven chains of jobs for libuv's thread pool, one of each kind. Each chain has one job at a time, which belongs to
// a request of its own: so at any time it is known whose each kind of job is. The jobs of brotli are the writes of one
// stream, whose store says something else for each. Meanwhile the main thread makes garbage,
// for no request, and changes stores of requests that are done.
//
//   node pool.js [FILE]
//
//   WORK_ADDON   an add-on whose jobs Node-API gives to the pool: ../e2e/testdata/work.c, built
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//
//   HOTSPAN      the folder of the installed package hotspan, which then has the contexts
//
// Each request has a store in an AsyncLocalStorage, {kind, id, user: {name}}, or the labels kind, id and user. Labels
// of the package cannot change: with it there is no chain of brotli.
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does. The tid of an
// interval is the number of the chain, of 1 to 7: pbkdf2, scrypt, deflate, file, lookup, addon, brotli. A label has
// endpoint, which is store.kind, request, which is store.id, and user, which is store.user.name. Those of tid 8 have no
// label: the main thread collected garbage.

const { AsyncLocalStorage } = require('async_hooks');
const crypto = require('crypto');
const dns = require('dns');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { PerformanceObserver } = require('perf_hooks');
const zlib = require('zlib');
const { burnObjects } = require('./lib/burn');
const { number, stopped } = require('./lib/env');
const { now } = require('./lib/clock');
const { ready, write } = require('./lib/output');

const addon = require(process.env.WORK_ADDON);
const hotspan = process.env.HOTSPAN && require(process.env.HOTSPAN);
const storage = new AsyncLocalStorage();
const deadline = performance.now() + number('DURATION_MS', 20000);
const running = () => performance.now() < deadline && !stopped();
const lines = [];
const done = new Array(64).fill(null);
let requests = 0;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-pool-'));
const file = path.join(folder, 'file');
const text = Buffer.alloc(1 << 20, () => 0);
for (let i = 0; i < text.length; i++) text[i] = (i * 2654435761) >> 13;
fs.writeFileSync(file, Buffer.alloc(32 << 20, 'a page of it '));

const kinds = {
  pbkdf2: (end) => crypto.pbkdf2('password', 'salt', 20000, 64, 'sha512', end),
  scrypt: (end) => crypto.scrypt('password', 'salt', 64, end),
  deflate: (end) => zlib.deflate(text, end),
  file: (end) => fs.readFile(file, end),
  lookup: (end) => dns.lookup('localhost', end),
  addon: (end) => addon.work(15, end),
};

const streamed = { kind: 'brotli', id: 0, user: null };
const stream = storage.run(streamed, () => zlib.createBrotliCompress({
  chunkSize: text.length, params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 },
}));
stream.resume();

// chain runs the jobs of a kind, one after the other.
function chain(number, kind, job) {
  if (!running()) return Promise.resolve();
  return new Promise((resolve) => setImmediate(resolve))
    .then(() => one(number, kind, job))
    .then(() => chain(number, kind, job));
}

function one(tid, kind, job) {
  const id = ++requests;
  const store = { kind, id, user: { name: `${kind} ${id} of ` + 'user'.repeat(4) } };
  return new Promise((resolve) => {
    const start = now();
    runIn(store, job, () => {
      const end = now();
      const label = { endpoint: kind, request: id, user: `${kind} ${id} of useruseruseruser` };
      lines.push({ kind: 'interval', start: Number(start), end: Number(end), tid, label });
      done[id % done.length] = store;
      storage.exit(resolve);
    });
  });
}

// writes is a chain of writes to the stream.
function writes(number) {
  if (!running()) return;
  const id = ++requests;
  const user = `brotli ${id} of ` + 'user'.repeat(4);
  Object.assign(streamed, { id, user: { name: user } });
  const start = now();
  stream.write(text, () => {
    const label = { endpoint: 'brotli', request: id, user };
    lines.push({ kind: 'interval', start: Number(start), end: Number(now()), tid: number, label });
    setImmediate(writes, number);
  });
}

function runIn(store, job, end) {
  if (!hotspan) storage.run(store, job, end);
  else hotspan.runWithContext({ labels: { kind: store.kind, id: store.id, user: store.user.name } }, job, end);
}

// observe writes down when the main thread collects garbage.
function observe() {
  const origin = Number(now()) - performance.now() * 1e6;
  const ns = (ms) => Math.round(origin + ms * 1e6);
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      lines.push({ kind: 'interval', start: ns(startTime), end: ns(startTime + duration), tid: 8 });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
}

// litter makes collections, and old stores say something else.
function litter() {
  if (!running()) return;
  burnObjects(2);
  for (const store of done) if (store) store.user = { name: `nobody ${requests}` };
  setTimeout(litter, 2);
}

async function main() {
  observe();
  ready();
  litter();
  if (!hotspan) writes(7);
  await Promise.all(Object.entries(kinds).map(([kind, job], i) => chain(i + 1, kind, job)));
  fs.rmSync(folder, { recursive: true });
  write({ requests }, lines.map((line) => JSON.stringify(line) + '\n'));
}

main();
