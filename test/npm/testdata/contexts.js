'use strict';

// Says, in a context, what the context is, and waits there until it is told to go on: a line of JSON each, with the
// thread. node contexts.js PACKAGE

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const { runWithContext, withLabels, setLabel, setRoute, form } = require(isMainThread ? process.argv[2] : workerData);
const thread = Number(fs.readlinkSync('/proc/thread-self').split('/').pop());

function stop(want) {
  fs.writeSync(1, JSON.stringify({ thread, want }) + '\n');
  fs.readSync(0, Buffer.alloc(1));
}

const ids = (n) => ({ traceId: (0xabc000 + n).toString(16).padStart(32, '0'), spanId: n.toString(16).padStart(16, '0') });
const said = ({ traceId, spanId }, more) => ({ trace_id: traceId, span_id: spanId, ...more });

async function request(n) {
  const mine = ids(n);
  await runWithContext({ ...mine, route: `/r/${n}`, labels: { tenant: '東京', n } }, async () => {
    const want = said(mine, { 'http.route': `/r/${n}`, tenant: '東京', n: String(n) });
    stop(want);
    await null;
    stop(want);
    await sleep(1);
    stop(want);
    withLabels({ long: 'ü'.repeat(200) }, () => stop({ ...want, long: 'ü'.repeat(127) }));
    await new Promise((resolve) => setImmediate(resolve));
    stop(want);
    global.gc();
    stop(want);
    setRoute('/changed');
    setLabel('more', true);
    stop({ ...want, 'http.route': '/changed', more: 'true' });
    runWithContext(undefined, () => stop(null));
  });
}

async function main() {
  if (form !== 'record') throw new Error(`contexts are published as ${form}`);
  stop(null);
  const garbage = [];
  for (let i = 1; i <= 5; i++) {
    for (let j = 0; j < 3000; j++) garbage.push(runWithContext(ids(j), () => [j]));
    await Promise.all([request(10 * i), request(10 * i + 1)]);
  }
  runWithContext({}, () => stop({}));
  if (isMainThread) new Worker(__filename, { workerData: process.argv[2] }).on('exit', () => stop(null));
}

main();
