'use strict';

// The bytes of the context that is being made: of a record as OpenTelemetry's OTEP 4947 has it, or of a text, for where
// records cannot be published. One after the other is made here, on a thread.
const bytes = Buffer.alloc(640);

/** How much of all contexts of this thread did not fit: values cut at a character, labels and ids left out. */
const counters = { cut: 0, dropped: 0 };

const encoder = new TextEncoder();

// write puts a text of at most room bytes of UTF-8 at an offset, and returns how many bytes it has.
function write(text, at, room) {
  const length = Math.min(text.length, room);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return writeAny(text, at, room);
    bytes[at + i] = code;
  }
  if (length < text.length) counters.cut++;
  return length;
}

function writeAny(text, at, room) {
  const { read, written } = encoder.encodeInto(text, bytes.subarray(at, at + room));
  if (read < text.length) counters.cut++;
  return written;
}

const digits = new Uint8Array(128).fill(255);
for (const d of '0123456789abcdefABCDEF') digits[d.charCodeAt(0)] = parseInt(d, 16);

// isID reports whether a value is a text of so many digits in hexadecimal.
function isID(text, length) {
  if (typeof text !== 'string' || text.length !== length) return false;
  let bad = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    bad |= (code & ~127) | (digits[code & 127] & ~15);
  }
  return bad === 0;
}

// writeID puts n bytes at an offset that a text has in hexadecimal; zeros, for none, if it is no such text.
function writeID(text, at, n) {
  if (isID(text, 2 * n)) {
    for (let i = 0; i < n; i++) {
      bytes[at + i] = (digits[text.charCodeAt(2 * i)] << 4) | digits[text.charCodeAt(2 * i + 1)];
    }
    return;
  }
  if (text !== undefined) counters.dropped++;
  for (let i = 0; i < n; i++) bytes[at + i] = 0; // fill() takes longer
}

// textOf is the value of a label as text, undefined for what is none.
function textOf(value) {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
  }
  return undefined;
}

module.exports = { bytes, counters, write, writeID, isID, textOf };
