'use strict';

// The bytes of the context that is being made: of a record as OpenTelemetry's OTEP 4947 has it, or of a text, for where
// records cannot be published. One after the other is made here, on a thread. (One byte more is the add-on's.)
const bytes = Buffer.alloc(641);

/**
 * How much of all contexts of this thread did not fit: values cut at a character, labels and ids left out, and contexts
 * whose values the samples of a profile do not have.
 */
const counters = { cut: 0, dropped: 0, unheld: 0 };

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

const digits = /^[0-9a-f]*$/i;

// isID reports whether a value is a text of so many digits in hexadecimal.
function isID(text, length) {
  return typeof text === 'string' && text.length === length && digits.test(text);
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

// fieldsOf is what a value may have fields in: a text has letters instead.
const fieldsOf = (value) => (typeof value === 'object' ? value : null);

module.exports = { bytes, counters, fieldsOf, write, isID, textOf };
