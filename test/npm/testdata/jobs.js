'use strict';

// Threads of an add-on that wait in a context of the package, by hotspan.h, while JavaScript has another: says which,
// and waits until it is told to go on. node jobs.js PACKAGE ADDON

const fs = require('node:fs');

const { runWithContext, setLabel } = require(process.argv[2]);
const { run, release, has } = require(process.argv[3]);

const ids = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const said = { trace_id: ids.traceId, span_id: ids.spanId, 'http.route': '/x', tenant: '東京' };

function stop(thread, want) {
  fs.writeSync(1, JSON.stringify({ thread, want }) + '\n');
  fs.readSync(0, Buffer.alloc(1));
}

const within = (value, kind, want, change = () => {}) => new Promise((resolve) => {
  const start = () => {
    run(kind, -1, (start, end, tid) => {
      stop(tid, want);
      release();
      resolve();
    });
    change();
  };
  if (value) runWithContext(value, start);
  else start();
});

async function main() {
  if (has()) throw new Error('there is a context at the start');
  for (const kind of ['queue', 'thread']) {
    await within({ ...ids, route: '/x', labels: { tenant: '東京' } }, kind, said, () => setLabel('tenant', 'later'));
    await within(undefined, kind, null);
    await within({}, kind, {});
  }
  if (has()) throw new Error('there is a context at the end');
}

main();
