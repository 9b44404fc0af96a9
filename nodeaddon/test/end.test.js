'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const folder = path.dirname(require.resolve('hotspan/package.json'));

// run runs a program in a process of its own.
function run(text, ...flags) {
  const args = [...process.execArgv, ...flags, '-e', `const h = require(${JSON.stringify(folder)});${text}`];
  return spawnSync(process.execPath, args, { encoding: 'utf8', cwd: __dirname });
}

// ends checks how a program ends: with a code, by no signal, and with nothing said but what is wanted.
function ends(text, code = 0, says = '') {
  const { status, signal, stdout, stderr } = run(text);
  assert.deepEqual({ status, signal, stdout }, { status: code, signal: null, stdout: says }, stderr);
}

const worker = (text) => `new (require('node:worker_threads').Worker)(${JSON.stringify(
  `const h = require(${JSON.stringify(folder)});${text}`)}, {eval: true})`;

test('200,000 contexts are alive at the end', () => {
  ends(`globalThis.all = []; const { AsyncResource } = require('node:async_hooks');
    for (let i = 0; i < 2e5; i++) h.runWithContext({route: '/x'}, () => all.push(new AsyncResource('x')))`);
  ends('for (let i = 0; i < 2e5; i++) setTimeout(() => {}, 0), h.enterWithContext({route: "/x"})');
});

test('process.exit in a callback', () => {
  ends('h.runWithContext({route: "/x"}, () => setImmediate(() => process.exit(7)))', 7);
});

test('an uncaught exception', () => {
  ends('h.runWithContext({route: "/x"}, () => setImmediate(() => { throw new Error("mine") }))', 1);
});

test('workers that are ended in mid-request', () => {
  const busy = 'h.runWithContext({route: "/x"}, () => { for (;;) h.runWithContext({}, () => h.setRoute("/y")) })';
  ends(`for (let i = 0; i < 4; i++) { const w = ${worker(busy)};
    w.on('online', () => setTimeout(() => w.terminate(), 20 + 10 * i)) }`);
  ends(`${worker('h.runWithContext({}, () => process.exit(3))')}.on('exit', (code) => console.log(code))`, 0, '3\n');
});

test('many workers with many contexts, one after the other', () => {
  const live = `globalThis.all = []; const { AsyncResource } = require('node:async_hooks');
    for (let i = 0; i < 3e4; i++) h.runWithContext({route: '/x', labels: {i}}, () => all.push(new AsyncResource('x')))`;
  const { stdout, stderr } = run(`const sizes = []; (function next() {
    sizes.push(Math.round(process.memoryUsage().rss / 1e6));
    if (sizes.length < 14) ${worker(live)}.on('exit', next); else console.log(JSON.stringify(sizes));
  })()`);
  const sizes = JSON.parse(stdout || 'null');
  assert.ok(sizes[13] < sizes[6] + 12, `RSS in MB after each worker: ${sizes} ${stderr}`);
});

test('two copies of the package, on two threads and on one', () => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-copy-'));
  try {
    const modules = path.join(copy, 'node_modules');
    fs.cpSync(path.join(folder, '..'), modules, { recursive: true, filter: (name) => !name.includes('cli-linux') });
    const other = `require(${JSON.stringify(path.join(modules, 'hotspan'))})`;
    ends(`console.log(h === ${other})`, 0, 'true\n');
    const maps = 'require("fs").readFileSync("/proc/self/maps", "utf8").match(/OTEL_CTX/g)?.length';
    const say = `require("worker_threads").parentPort.postMessage(h.form)`;
    const second = `new (require('node:worker_threads').Worker)(${JSON.stringify(`const h = ${other};
      h.runWithContext({labels: {second: 1}}, () => ${say})`)}, {eval: true})`;
    ends(`h.runWithContext({labels: {first: 1}}, () => ${second}.on('message', (form) =>
      console.log(form === h.form, ${maps})))`, 0, 'true 1\n');
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
});

test('@datadog/pprof beside it', () => {
  ends(`const { otelThreadCtx } = require('@datadog/pprof');
    const go = () => h.runWithContext({route: '/x'}, () => console.log(h.getContext().route));
    if (h.form === 'text') go(); // it throws where there is no AsyncContextFrame
    else new otelThreadCtx.ThreadContext(Buffer.alloc(16, 1), Buffer.alloc(8, 2), 1, []).run(go)`, 0, '/x\n');
});

test('without the native part there is one warning, and contexts work', () => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-alone-'));
  try {
    fs.cpSync(folder, copy, { recursive: true });
    const text = `const h = require(${JSON.stringify(copy)}); h.runWithContext({route: '/x'}, () =>
      console.log(h.form, h.getContext().route))`;
    const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, '-e', text], { encoding: 'utf8' });
    assert.equal(stdout, 'text /x\n');
    const warnings = stderr.match(/addon-linux-x64 is not installed: only hotspan itself can read contexts/g);
    assert.equal(warnings.length, 1, stderr);
    const profiler = spawnSync(process.execPath, [path.join(copy, 'bin', 'hotspan.js')], { encoding: 'utf8' });
    assert.match(profiler.stderr, /cli-linux-x64 is not installed: npm leaves it out with --omit=optional/);
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
});

test('where Node may load no add-ons the warning says so, and contexts work', () => {
  const text = 'h.withLabels({a: 1}, () => console.log(h.form, h.getContext().labels))';
  const { stdout, stderr } = run(text, '--no-addons');
  assert.equal(stdout, 'text { a: 1 }\n', stderr);
  assert.match(stderr, /hotspan: node may load no add-ons \(--allow-addons\): only hotspan itself can read contexts/);
});

test('memory returns', () => {
  const { stdout, status, stderr } = run(`
    const set = (i) => { h.setLabel('m', i); return h.getContext() };
    const one = (i) => h.runWithContext({route: '/x', labels: {n: i}}, set, i);
    const round = () => { const all = []; for (let i = 0; i < 1e4; i++) all.push(one(i),
      h.runWithContext({}, () => new (require('node:async_hooks').AsyncResource)('x'))); };
    const sizes = [];
    for (let i = 0; i < 24; i++) { round(); gc(); gc(); sizes.push(process.memoryUsage().rss) }
    console.log(JSON.stringify(sizes.map((n) => Math.round(n / 1e6))))`, '--expose-gc');
  assert.equal(status, 0, stderr);
  const sizes = JSON.parse(stdout);
  assert.ok(sizes[23] < sizes[11] + 10, `RSS in MB after each round: ${sizes}`);
});
