'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { clockPair } = require('./clock');

const clocks = [];

// noteClock keeps a reading of both clocks for the log.
function noteClock() {
  clocks.push(clockPair());
}

// ready tells whoever started the program that the truth is being written from now on.
function ready() {
  noteClock();
  process.stderr.write(`ready ${process.pid}\n`);
}

function* header(details) {
  const about = { program: path.basename(process.argv[1]), pid: process.pid, node: process.version };
  yield JSON.stringify({ kind: 'header', ...about, ...details }) + '\n';
  for (const { mono, unix } of clocks) yield `{"kind":"clock","mono":${mono},"unix":${unix}}\n`;
}

// write puts the header and all lines into the file named by the program's first argument, or onto stdout.
// A file appears whole or not at all; what is no file, such as /dev/null, stays what it is. It is synchronous: the
// program may exit at once.
function write(details, ...sources) {
  noteClock();
  const name = process.argv[2];
  const part = isOther(name) ? name : `${name}.part`;
  const fd = name ? fs.openSync(part, 'w') : 1;
  for (const lines of [header(details), ...sources]) writeAll(fd, lines);
  if (name) {
    fs.closeSync(fd);
    if (part !== name) fs.renameSync(part, name);
  }
}

// isOther reports whether there is something else than a file.
function isOther(name) {
  return name && fs.existsSync(name) && !fs.statSync(name).isFile();
}

function writeAll(fd, lines) {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 1 << 16) continue;
    writeText(fd, chunk);
    chunk = '';
  }
  writeText(fd, chunk);
}

// A pipe may take less than it is given, or refuse for a moment.
function writeText(fd, text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(fd, rest));
    } catch (err) {
      if (err.code !== 'EAGAIN') throw err;
    }
  }
}

module.exports = { ready, write };
