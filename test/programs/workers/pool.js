'use strict';

const { pbkdf2 } = require('node:crypto');
const { promisify } = require('node:util');
const { gzip } = require('node:zlib');
const { stopped } = require('../lib/env');

// busyPool keeps one hash and one compression at a time running in libuv's pool.
async function busyPool(milliseconds) {
  const deadline = performance.now() + milliseconds;
  const text = Buffer.from(Array.from({ length: 50000 }, (_, i) => `line ${i * 7919}\n`).join(''));
  const hash = () => promisify(pbkdf2)('password', 'salt', 20000, 64, 'sha512');
  const compress = () => promisify(gzip)(text);
  await Promise.all([hash, compress].map((work) => repeat(work, deadline)));
}

async function repeat(work, deadline) {
  while (performance.now() < deadline && !stopped()) await work();
}

module.exports = { busyPool };
