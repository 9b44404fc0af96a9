'use strict';

const { bytes, counters, write, isID, textOf } = require('./bytes');
const { LABEL, Held, number: nextNumber, hold } = require('./held');

// The most of one text that hotspan reads, in bytes.
const END = 512;

// Where records cannot be published, a context has its labels in one property. hotspan has a rule for its name, and
// reads the property from outside. The text has, for each label, the length of its key, the key, the length of its
// value, and the value: bytes of UTF-8, each a character.
function add(at, name, value) {
  const text = textOf(value);
  if (text === undefined) return at;
  const start = at;
  const before = counters.cut;
  const key = write(name, at + 1, Math.min(END - at - 2, 255));
  const room = Math.min(END - at - key - 2, 255);
  if (room < 1 || key < 1 || counters.cut > before) {
    counters.cut = before;
    counters.dropped++;
    return start;
  }
  bytes[at] = key;
  at += 1 + key;
  bytes[at] = write(text, at + 1, room);
  return at + 1 + bytes[at];
}

function addID(at, name, id, length) {
  if (isID(id, length)) return add(at, name, id.toLowerCase());
  if (id !== undefined) counters.dropped++;
  return at;
}

// encode returns the labels of a context, and takes from it a number for which there is no room: cut, it would be
// another one's.
function encode(context) {
  const { changes, number } = context;
  const value = context.value ?? {};
  let at = addID(0, 'trace_id', value.traceId, 32);
  at = addID(at, 'span_id', value.spanId, 16);
  if (value.route !== undefined) at = add(at, 'http.route', value.route);
  const { labels } = value;
  for (const name in labels) at = add(at, name, labels[name]);
  for (const name in changes) at = add(at, name, changes[name]);
  if (number !== undefined && at + 2 + LABEL.length + number.length <= END) {
    at = add(at, LABEL, number);
  } else if (number !== undefined) {
    counters.unheld++;
    context.number = undefined;
  }
  return bytes.latin1Slice(0, at);
}

/** A new context without a native record. */
function create(value) {
  const context = { 'hotspan labels': '', value, changes: null, number: nextNumber() };
  context['hotspan labels'] = encode(context);
  hold(context, context.number);
  return context;
}

function change(context, name, to) {
  context.changes = { ...context.changes, [name]: to };
  context['hotspan labels'] = encode(context);
}

const keep = () => new Held();

module.exports = { create, change, keep };
