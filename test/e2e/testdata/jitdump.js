'use strict';

// Prints what is in jitdump files as JSON, an array a file. It is written from the specification alone
// (Linux: tools/perf/Documentation/jitdump-specification.txt), and throws where a file does not keep to it.

const fs = require('fs');

const text = (b, at) => {
  const end = b.indexOf(0, at);
  if (end < 0) throw new Error(`text at ${at} has no end`);
  return [b.toString('utf8', at, end), end + 1];
};

// Lines of another code are those of names that node wrote when their memory had been freed.
const sound = (lines, size) => lines.every((l) => l.offset >= 0 && l.offset <= size + 64);

function read(file) {
  const b = fs.readFileSync(file);
  const [magic, version, size, machine] = [0, 4, 8, 12].map((at) => b.readUInt32LE(at));
  if (magic !== 0x4a695444 || version !== 1 || machine !== 62) throw new Error(`header ${b.toString('hex', 0, 40)}`);
  const pid = b.readUInt32LE(20);
  const codes = [];
  let lines = null;
  let closed = false;
  for (let at = size; at < b.length;) {
    if (closed) throw new Error(`record at ${at} behind the end`);
    const [id, total] = [b.readUInt32LE(at), b.readUInt32LE(at + 4)];
    if (total < 16 || at + total > b.length) break; // node was killed
    const time = b.readBigUInt64LE(at + 8);
    const r = b.subarray(at + 16, at + total);
    at += total;
    if (id === 2) {
      lines = { of: r.readBigUInt64LE(0), all: [] };
      let from = 16;
      for (let n = r.readBigUInt64LE(8); n > 0n; n--) {
        const [name, next] = text(r, from + 16);
        lines.all.push({ offset: Number(r.readBigUInt64LE(from) - lines.of), line: r.readUInt32LE(from + 8),
          column: r.readUInt32LE(from + 12), file: name });
        from = next;
      }
    } else if (id === 0) {
      const [address, length, index] = [16, 24, 32].map((from) => r.readBigUInt64LE(from));
      const [name, from] = text(r, 40);
      if (r.readUInt32LE(0) !== pid || from + Number(length) > r.length) throw new Error(`load at ${at - total}`);
      codes.push({ time: String(time), address: String(address), index: Number(index), name,
        bytes: r.toString('hex', from, from + Number(length)),
        lines: lines !== null && lines.of === address && sound(lines.all, Number(length)) ? lines.all : [] });
      lines = null;
    } else if (id === 3) {
      closed = true;
    }
  }
  return { pid, closed, codes };
}

console.log(JSON.stringify(process.argv.slice(2).map(read)));
