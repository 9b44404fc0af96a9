'use strict';

// A program whose asynchronous functions wait for each other, in several ways, and that knows who waits for whom.
//
//   node await.js TRUTH HOW [abort]
//
//   TRUTH  a directory: each way writes NAME.json, the lines of Error.stack of the innermost function, without the first
//   HOW    wait   for ever. Each way has a promise with the property way, its name: the innermost function awaits it
//          stand  each way has a worker that stands still in the innermost function; the main thread has the first way
//          spin   so it has, but the main thread never stands still
//   abort  the main thread calls process.abort then
//
// It prints "ready" to standard error.

const { writeFileSync, writeSync } = require('fs');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

const [truth, how, end] = isMainThread ? process.argv.slice(2) : [workerData.truth, 'stand'];
Error.stackTraceLimit = 100;

function note(way) {
  writeFileSync(`${truth}/${way}.json`, JSON.stringify(new Error().stack.split('\n').slice(1)));
}

function ready() {
  if (end === 'abort') process.abort();
  writeSync(2, 'ready\n');
}

function stand(way) {
  note(way);
  if (!isMainThread) parentPort.postMessage(way);
  if (isMainThread) ready();
  while (how === 'spin');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

// innermost is the function that stands still, or waits for ever.
async function innermost(way) {
  await null;
  if (how !== 'wait') stand(way);
  note(way);
  const never = new Promise(() => {});
  never.way = way;
  await never;
}

class Shop {
  async open(way) {
    const one = await 1; return one + await innermost(way);
  }

  static async start(way) { await new Shop().open(way); }
}

// Direct has V8 itself call its then, in a microtask of its own.
class Direct extends Promise {
  constructor(way) {
    super(() => {});
    this.of = way;
  }

  then(resolve, reject) {
    if (how !== 'wait') stand(this.of);
    innermost(this.of).then(resolve, reject);
  }
}

async function* items(way) {
  yield 1;
  await innermost(way);
  yield 2;
}

async function* yields(way) {
  yield innermost(way);
}

async function* delegates(way) {
  yield* items(way);
}

async function deep(way, n) {
  await (n > 0 ? deep(way, n - 1) : innermost(way));
}

// Each way is called, and what it returns is awaited by all, or it returns nothing.
const ways = {
  async plain(way) { await innermost(way); },
  async direct(way) { await new Direct(way); },
  async methods(way) { await Shop.start(way); },
  async arrow(way) { await (async () => { await innermost(way); })(); },
  async all(way) { await Promise.all([1, null, innermost(way), new Promise(() => {})]); },
  async allSettled(way) { await Promise.allSettled([innermost(way)]); },
  async any(way) { await Promise.any([new Promise(() => {}), innermost(way)]); },
  async race(way) { await Promise.race([innermost(way), new Promise(() => {})]); },
  async then(way) { await innermost(way).then((n) => n).then((n) => n + 1); },
  async caught(way) { await innermost(way).catch(() => 0); },
  async ended(way) { await innermost(way).finally(() => 0); },
  async made(way) { await new Promise((resolve, reject) => innermost(way).then(resolve, reject)); },
  async items(way) { for await (const item of items(way)) Boolean(item); },
  async yields(way) { for await (const item of yields(way)) Boolean(item); },
  async delegates(way) { for await (const item of delegates(way)) Boolean(item); },
  async list(way) { for await (const item of [innermost(way)]) Boolean(item); },
  async thenable(way) { await { then: (resolve, reject) => innermost(way).then(resolve, reject) }; },
  async resumed(way) { try { await Promise.reject(new Error('expected')); } catch { await innermost(way); } },
  async evaluated(way) { await eval('(async function evaluated() {\n  await innermost(way);\n})')(); },
  returned(way) { return innermost(way); },
  alone(way) { innermost(way); },
  async deep(way) { await deep(way, 80); },
  async twice(way) {
    const promise = innermost(way);
    await Promise.all([promise, promise.then(() => 0)]);
  },
};

async function outermost(way) {
  const result = await ways[way](way);
  return [result];
}

const names = Object.keys(ways);

if (!isMainThread) {
  outermost(workerData.way);
} else if (how === 'wait') {
  for (const way of names) outermost(way);
  const circle = (async () => { await null; await circle; })();
  circle.way = 'circle';
  setTimeout(() => {
    ready();
    process.stdin.on('end', () => process.exit()).resume();
  }, 100);
} else {
  let left = names.length - 1;
  for (const way of names.slice(1)) {
    new Worker(__filename, { workerData: { truth, way } }).on('message', () => {
      if (--left === 0) outermost(names[0]);
    });
  }
}
