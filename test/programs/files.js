'use strict';

// Functions for probes.js that read and write files in DIR, as many bytes as they say. Other bytes go through a named
// pipe, a socket and devices.

const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { promisify } = require('node:util');

const size = 10000;
const from = inDir('from'), to = inDir('to'), pipeName = inDir('pipe');
fs.writeFileSync(from, Buffer.alloc(size));
fs.writeFileSync(to, '');
spawnSync('mkfifo', [pipeName]);
const pipe = fs.openSync(pipeName, 'r+');
const zero = fs.openSync('/dev/zero');
const nothing = fs.openSync('/dev/null', 'w');
const socket = echo();

function inDir(name) {
  return path.join(process.env.DIR, name);
}

// A socket whose other end sends everything back.
function echo() {
  const server = net.createServer((peer) => peer.pipe(peer));
  server.listen(inDir('socket'));
  return net.connect(inDir('socket')).resume();
}

const buffers = (...lengths) => lengths.map((n) => Buffer.alloc(n));

function fails(f) {
  try {
    f();
  } catch {
    return;
  }
  throw new Error('no error');
}

// read: 1000, and -EBADF; pread64: 3000 of 5000 up to the end, and 0; readv: 500; preadv: 700; copy_file_range or
// sendfile: 10000.
function reading() {
  const [room] = buffers(size);
  const fd = fs.openSync(from);
  fs.readSync(fd, room, 0, 1000, null);
  fs.readSync(fd, room, 0, 5000, 7000);
  fs.readSync(fd, room, 0, 5000, size);
  fs.readvSync(fd, buffers(200, 300));
  fs.readvSync(fd, buffers(300, 400), 0);
  fs.closeSync(fd);
  const written = fs.openSync(to, 'r+');
  fs.closeSync(written);
  fails(() => fs.readSync(written, room));
  const writable = fs.openSync(to, 'a');
  fails(() => fs.readSync(writable, room));
  fs.closeSync(writable);
  fails(() => fs.readSync(0x7fffffff, room));
  fs.copyFileSync(from, inDir('copy'));
  other(room);
}

// write: 40; pwrite64: 50; writev: 130; pwritev: 150.
function writing() {
  const fd = fs.openSync(to, 'r+');
  fs.writeSync(fd, Buffer.alloc(40));
  fs.writeSync(fd, Buffer.alloc(50), 0, 50, 7);
  fs.writevSync(fd, buffers(60, 70));
  fs.writevSync(fd, buffers(70, 80), 9);
  fs.closeSync(fd);
  other(Buffer.alloc(size));
}

// What is in no file.
function other(room) {
  fs.writeSync(pipe, room, 0, 900);
  fs.readSync(pipe, room, 0, 900);
  fs.readSync(zero, room, 0, 800);
  fs.writeSync(nothing, room, 0, 700);
  socket.write(Buffer.alloc(600));
}

// The same by libuv's pool, which writes to an eventfd when it is done; a file is opened at once before. read: 1000;
// pread64: 3000 and 0; readv: 500; preadv: 700; write: 40; pwrite64: 50; writev: 130; pwritev: 150.
async function pooled() {
  const [room] = buffers(size);
  fs.closeSync(fs.openSync(from));
  const source = await fs.promises.open(from);
  await source.read(room, 0, 1000, null);
  await source.read(room, 0, 5000, 7000);
  await source.read(room, 0, 5000, size);
  await source.readv(buffers(200, 300));
  await source.readv(buffers(300, 400), 0);
  await source.close();
  const target = await fs.promises.open(to, 'r+');
  await target.write(Buffer.alloc(40), 0, 40, null);
  await target.write(Buffer.alloc(50), 0, 50, 7);
  await target.writev(buffers(60, 70));
  await target.writev(buffers(70, 80), 9);
  await target.close();
  other(room);
}

// Whole files, in as many calls as Node likes: 10000 read, synchronously and twice by the pool, and 9000 written as
// often, and one is copied.
async function whole() {
  const content = Buffer.alloc(9000);
  fs.readFileSync(from);
  fs.writeFileSync(to, content);
  const others = [promisify(fs.readFile)(from), promisify(fs.writeFile)(inDir('second'), content)];
  await fs.promises.readFile(from);
  await fs.promises.writeFile(inDir('third'), content);
  await fs.promises.copyFile(from, inDir('copy'));
  await Promise.all(others);
}

// What hotspan has to learn before requests begin.
async function warm() {
  await pooled();
  await whole();
}

module.exports = { reading, writing, pooled, whole, warm };
