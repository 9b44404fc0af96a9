'use strict';

const { bytes, counters, write, writeID, textOf } = require('./bytes');

// Offsets in a record, and the most that all readers take. (OTEP 4947)
const SPAN = 16;
const VALID = 24;
const FLAGS = 25;
const SIZE = 26;
const ATTRIBUTES = 28;
const END = 640;

/**
 * Makes the class of contexts with a native record.
 *
 * @param {object} native the add-on
 */
function recordContexts(native) {
  const numbers = new Map();

  // numberOf is what stands for a key in records, -1 if there is no room for more keys.
  function numberOf(name) {
    let number = numbers.get(name);
    if (number === undefined) numbers.set(name, (number = native.key(name)));
    return number;
  }

  function add(at, name, value) {
    const text = textOf(value);
    if (text === undefined) return at;
    const number = numberOf(name);
    const room = Math.min(END - at - 2, 255);
    if (number < 0 || room < 1) {
      counters.dropped++;
      return at;
    }
    const length = write(text, at + 2, room);
    bytes[at] = number;
    bytes[at + 1] = length;
    return at + 2 + length;
  }

  // encode writes a record and returns its length.
  function encode(value, changes) {
    writeID(value.traceId, 0, SPAN);
    writeID(value.spanId, SPAN, VALID - SPAN);
    bytes[VALID] = 1;
    bytes[FLAGS] = value.traceFlags ?? 0; // undefined takes longer
    let at = ATTRIBUTES;
    if (value.route !== undefined) at = add(at, 'http.route', value.route);
    const { labels } = value;
    for (const name in labels) at = add(at, name, labels[name]);
    for (const name in changes) at = add(at, name, changes[name]);
    bytes[SIZE] = (at - ATTRIBUTES) & 255;
    bytes[SIZE + 1] = (at - ATTRIBUTES) >> 8;
    return at;
  }

  return class Context extends native.Context {
    constructor(value) {
      super(encode(value, null));
      this.value = value;
      this.changes = null;
    }

    set(name, value) {
      this.changes = { ...this.changes, [name]: value };
      native.replace(this, encode(this.value, this.changes));
    }
  };
}

module.exports = { recordContexts };
