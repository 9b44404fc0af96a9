'use strict';

// node --expose-gc bench.js: what contexts cost, as ratios to what Node itself takes for the same. The ways are
// measured in turn, ROUNDS times each, by the CPU time of the process with its collections; what is printed are the
// median of the times, and the median of the ratios within a round. @datadog/pprof is one of them if it is installed.

const { spawnSync } = require('node:child_process');
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const { randomBytes } = require('node:crypto');
const hotspan = require('./lib/index.js');

const ROUNDS = Number(process.env.ROUNDS || 101);
const CALLS = 10000;

const storage = new AsyncLocalStorage();
const fn = () => 1;
const some = (n, make) => Array.from({ length: n }, make);
const traceIds = some(1024, () => randomBytes(16).toString('hex'));
const spanIds = some(1024, () => randomBytes(8).toString('hex'));
const routes = some(16, (_, i) => `/orders/:id/${i}`);
const tenants = some(16, (_, i) => `tenant${i}`);
const value = (i) => ({
  traceId: traceIds[i & 1023],
  spanId: spanIds[i & 1023],
  route: routes[i & 15],
  labels: { tenant: tenants[(i >> 4) & 15], n: i },
});

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
  'runWithContext of an empty value': calls(() => hotspan.runWithContext({}, fn)),
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
    const ids = traceIds.map((id) => Buffer.from(id, 'hex'));
    const spans = spanIds.map((id) => Buffer.from(id, 'hex'));
    const one = (i) => {
      const values = [routes[i & 15], tenants[(i >> 4) & 15], String(i)];
      return new ThreadContext(ids[i & 1023], spans[i & 1023], 1, values).run(fn);
    };
    one(0);
    return { '@datadog/pprof, ThreadContext.run': calls(one) };
  } catch {
    return {};
  }
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

async function compare(ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -10; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = process.cpuUsage();
      await way();
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times[name].push((1000 * (user + system)) / CALLS);
    }
  }
  const [first] = Object.values(times);
  for (const [name, list] of Object.entries(times)) {
    const ratio = median(list.map((time, i) => time / first[i]));
    console.log(`${name.padEnd(36)} ${median(list).toFixed(0).padStart(6)} ns  ${ratio.toFixed(2)} ×`);
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
