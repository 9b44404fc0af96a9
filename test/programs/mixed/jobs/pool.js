'use strict';

// What libuv's threads do: here the main thread only hands over and takes back.

const crypto = require('node:crypto');
const fs = require('node:fs');
const zlib = require('node:zlib');
const { promisify } = require('node:util');

const text = Buffer.alloc(50000, 'a text for the pool ');
const hash = promisify(crypto.pbkdf2);
const gzip = promisify(zlib.gzip);

module.exports = {
  async hash() {
    return (await hash('password', 'salt', 500, 64, 'sha512'))[0];
  },
  async gzip() {
    return (await gzip(text)).length;
  },
  async read() {
    return (await fs.promises.readFile(__filename)).length;
  },
  read_sync: () => fs.readFileSync(__filename, 'utf8').length + fs.statSync(__dirname).nlink,
};
