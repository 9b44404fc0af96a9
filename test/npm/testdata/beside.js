'use strict';

// As contexts.js, where another writer publishes the process context, before the package and after it.
// node beside.js PACKAGE PUBLISH: an add-on with publish(payload)

const fs = require('node:fs');
const { encode } = require('../../programs/published/process_context');
const { publish } = require(process.argv[3]);

const thread = process.pid;
const layout = { js_object_record_offset: 32, tagged_size: 8, js_map_table_offset: 24, ordered_hash_map_header_size: 16 };
const attributes = Object.fromEntries(Object.entries(layout).map(([key, n]) => [`threadlocal.${key}`, n]));
const theirs = (keys) => encode({ 'service.name': 'theirs' },
  { 'threadlocal.schema_version': 'nodejs_v1_dev', 'threadlocal.attribute_key_map': keys, ...attributes });

function stop(want) {
  fs.writeSync(1, JSON.stringify({ thread, want }) + '\n');
  fs.readSync(0, Buffer.alloc(1));
}

publish(theirs(['tenant', 'http.route']));
const { runWithContext } = require(process.argv[2]);

runWithContext({ route: '/x', labels: { tenant: 'a', mine: 'b' } }, () => {
  stop({ 'http.route': '/x', tenant: 'a', mine: 'b' });
  publish(theirs(['tenant', 'http.route', 'another']));
  stop({ 'http.route': '/x', tenant: 'a', 'unknown key': 'b' });
  runWithContext({ labels: { another: 'c' } }, () => stop({ another: 'c' }));
  stop({ 'http.route': '/x', tenant: 'a', mine: 'b' });
});
