'use strict';

// Threads of an add-on burn CPU and publish for which request; half of the time later, one more attribute.
//
//   node native_threads.js [FILE]
//
//   PUBLISH_ADDON   what publishes a process context: ../e2e/testdata/publish.c, built
//   THREADS_ADDONS  the threads: ../e2e/testdata/threads.c, built in one or more ways, with colons between them
//   DURATION_MS     how long to run (20000)
//
// It prints "ready PID" on stderr when it starts, and at the end writes JSON lines as requests.js does; a label has
// trace_id, span_id, route and user, which is empty where there is none.

const { number } = require('./lib/env');
const { ready, write } = require('./lib/output');
const { encode } = require('./published/process_context');

const { publish } = require(process.env.PUBLISH_ADDON);
const addons = process.env.THREADS_ADDONS.split(':').map((path) => require(path));
const duration = number('DURATION_MS', 20000);
const keys = ['http.route', 'user'];

function publishKeys(n) {
  const attributes = { 'threadlocal.schema_version': 'tlsdesc_v1_dev', 'threadlocal.attribute_key_map': keys.slice(0, n) };
  publish(encode({ 'service.name': 'threads' }, attributes));
}

publishKeys(1);
ready();
for (const { start } of addons) start(2, duration, duration / 2);
setTimeout(publishKeys, duration / 2 - 20, 2);
setTimeout(() => write({}, addons.flatMap(({ lines }) => lines())), duration + 100);
