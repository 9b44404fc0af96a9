'use strict';

const { bytes, counters, write: writeText, textOf } = require('./bytes');
const { LABEL, number: nextNumber } = require('./held');
const { Sampled } = require('./sampled');

// Offsets in a record, and the most that all readers take. (OTEP 4947)
const VALID = 24;
const FLAGS = 25;
const SIZE = 26;
const ATTRIBUTES = 28;
const END = 640;

const NONE = {}; // the fields of null

/**
 * What makes and changes contexts with a native record.
 *
 * @param {object} native the add-on
 */
function records(native) {
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
    const length = writeText(text, at + 2, room);
    bytes[at] = number;
    bytes[at + 1] = length;
    return at + 2 + length;
  }

  // encode writes a record, but for its ids.
  function encode(value, changes, number) {
    bytes[VALID] = 1;
    bytes[FLAGS] = value.traceFlags ?? 0; // undefined takes longer
    let at = ATTRIBUTES;
    if (value.route !== undefined) at = add(at, 'http.route', value.route);
    const { labels } = value;
    for (const name in labels) at = add(at, name, labels[name]);
    for (const name in changes) at = add(at, name, changes[name]);
    const fits = number !== undefined && at + 2 + number.length <= END; // cut, it is another one's
    if (fits) at = add(at, LABEL, number);
    else if (number !== undefined) counters.unheld++;
    bytes[SIZE] = (at - ATTRIBUTES) & 255;
    bytes[SIZE + 1] = (at - ATTRIBUTES) >> 8;
  }

  function create(value) {
    const number = nextNumber();
    const fields = value ?? NONE;
    encode(fields, null, number);
    const context = native.make(fields.traceId, fields.spanId);
    if (bytes[END] > 0) counters.dropped += bytes[END];
    context.value = value;
    context.changes = null;
    context.number = number;
    return context;
  }

  function change(context, name, to) {
    const fields = context.value ?? NONE;
    context.changes = { ...context.changes, [name]: to };
    encode(fields, context.changes, context.number);
    if (!native.replace(context, fields.traceId, fields.spanId)) counters.dropped++;
  }

  // write has the record of a context in bytes, whatever the context is published as.
  function write({ value, changes, number }) {
    const fields = value ?? NONE;
    encode(fields, changes, number);
    native.complete(fields.traceId, fields.spanId);
  }

  return { create, change, write, keep: () => new Sampled(native, numberOf(LABEL)) };
}

module.exports = { records };
