'use strict';

// Threads of add-ons burn CPU and publish for which request; after a time, with one more attribute.
//
//   node native_threads.js [FILE]
//
//   PUBLISH_ADDON   what publishes a process context: ../e2e/testdata/publish.c, built
//   THREADS_ADDONS  the threads: ../e2e/testdata/threads.c, built in one or more ways, with colons between them
//   DURATION_MS     how long to run (20000)
//   STOP            a file: run no longer than until it exists
//   LATE            if it is not empty the process context is published at SIGUSR2, else before all else
//   MORE_MS         when there is one more attribute (1500)
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does; a label has
// trace_id, span_id, route and user, which is empty where there is none.

const { number, stopped } = require('./lib/env');
const { ready, write } = require('./lib/output');
const { encode } = require('./published/process_context');

const { publish } = require(process.env.PUBLISH_ADDON);
const addons = process.env.THREADS_ADDONS.split(':').map((path) => require(path));
const keys = ['http.route', 'user'];
const more = number('MORE_MS', 1500);
const deadline = performance.now() + number('DURATION_MS', 20000);

function publishKeys(n) {
  const attributes = {
    'threadlocal.schema_version': 'tlsdesc_v1_dev', 'threadlocal.attribute_key_map': keys.slice(0, n),
  };
  publish(encode({ 'service.name': 'threads' }, attributes));
}

// end waits for the time to tell the threads to end, which they do soon.
function end() {
  if (performance.now() < deadline && !stopped()) {
    setTimeout(end, 20);
    return;
  }
  for (const { stop } of addons) stop();
  setTimeout(() => write({}, addons.flatMap(({ lines }) => lines())), 200);
}

const late = process.env.LATE;
if (late) process.once('SIGUSR2', () => publishKeys(2));
else publishKeys(1);
ready();
end();
for (const { start } of addons) start(addons.length > 1 ? 1 : 2, late ? 0 : more);
if (!late) setTimeout(publishKeys, more - 20, 2);
