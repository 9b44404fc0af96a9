'use strict';

// node --expose-gc bench.js: what contexts cost, as ratios to what Node itself takes for the same. The ways are
// measured in turn, ROUNDS times each; the median of each is printed. @datadog/pprof is one of them if it is installed.

const { spawnSync } = require('node:child_process');
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const { randomBytes } = require('node:crypto');
const hotspan = require('./lib/index.js');

const ROUNDS = Number(process.env.ROUNDS || 15);
const CALLS = 20000;

const storage = new AsyncLocalStorage();
const traceId = randomBytes(16).toString('hex');
const spanId = randomBytes(8).toString('hex');
const fn = () => 1;
const value = (i) => ({ traceId, spanId, route: '/orders/:id', labels: { tenant: 'acme', n: i } });

function calls(f) {
  return () => {
    for (let i = 0; i < CALLS; i++) f(i);
  };
}

async function awaits() {
  for (let i = 0; i < CALLS; i++) await null;
}

const attach = {
  'AsyncLocalStorage.run': calls((i) => storage.run(value(i), fn)),
  'runWithContext': calls((i) => hotspan.runWithContext(value(i), fn)),
  'withLabels': calls((i) => hotspan.withLabels({ n: i }, fn)),
  ...datadog(),
};

const unchanged = {
  'await in AsyncLocalStorage.run': () => storage.run({}, awaits),
  'await in runWithContext': () => hotspan.runWithContext(value(0), awaits),
};

function datadog() {
  try {
    const { ThreadContext } = require('@datadog/pprof').otelThreadCtx;
    const id = Buffer.from(traceId, 'hex');
    const span = Buffer.from(spanId, 'hex');
    const one = (i) => new ThreadContext(id, span, 1, ['/orders/:id', 'acme', String(i)]).run(fn);
    one(0);
    return { '@datadog/pprof, ThreadContext.run': calls(one) };
  } catch {
    return {};
  }
}

async function compare(ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = process.hrtime.bigint();
      await way();
      if (round >= 0) times[name].push(Number(process.hrtime.bigint() - start) / CALLS);
    }
  }
  const medians = Object.entries(times).map(([name, list]) => [name, list.sort((a, b) => a - b)[ROUNDS >> 1]]);
  for (const [name, time] of medians) {
    console.log(`${name.padEnd(36)} ${time.toFixed(0).padStart(6)} ns  ${(time / medians[0][1]).toFixed(2)} ×`);
  }
}

// memory is how much a process takes for each live store, in bytes: a process of its own tells, since memory that was
// freed is used again.
function memory(way) {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, __filename, way], { encoding: 'utf8' });
  return Number(stdout);
}

function live(run) {
  const all = [];
  gc();
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 200000; i++) all.push(run(value(i), () => new AsyncResource('x')));
  gc();
  return (process.memoryUsage().rss - before) / all.length;
}

async function main() {
  console.log(`Node ${process.versions.node}, contexts as ${hotspan.form}`);
  await compare(attach);
  await compare(unchanged);
  if (!global.gc) return;
  const [plain, ours] = [memory('plain'), memory('ours')];
  console.log(`a live context takes ${Math.round(ours - plain)} bytes more than a live store of Node's`);
}

if (process.argv[2] === 'plain') console.log(live((v, f) => storage.run(v, f)));
else if (process.argv[2] === 'ours') console.log(live((v, f) => hotspan.runWithContext(v, f)));
else main();
