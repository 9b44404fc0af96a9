'use strict';

// encode makes the payload of a process context (OpenTelemetry, OTEP 4719):
// ProcessContext{Resource resource = 1; repeated KeyValue attributes = 2}, Resource{repeated KeyValue attributes = 1}.
// Values are strings, whole numbers that are not negative, or lists of strings.
function encode(resource, attributes) {
  const pairs = (map) => Object.entries(map).map(([key, value]) => keyValue(key, value));
  const inner = Buffer.concat(pairs(resource).map((pair) => field(1, pair)));
  return Buffer.concat([field(1, inner), ...pairs(attributes).map((pair) => field(2, pair))]);
}

const keyValue = (key, value) => Buffer.concat([field(1, Buffer.from(key)), field(2, anyValue(value))]);

// AnyValue: string_value = 1, int_value = 3, array_value = 5, which is ArrayValue{repeated AnyValue values = 1}.
function anyValue(value) {
  if (typeof value === 'number') return Buffer.concat([Buffer.from([3 << 3]), varint(value)]);
  if (Array.isArray(value)) return field(5, Buffer.concat(value.map((item) => field(1, anyValue(item)))));
  return field(1, Buffer.from(value));
}

const field = (number, bytes) => Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);

function varint(n) {
  const bytes = [];
  for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) | 128);
  return Buffer.from([...bytes, n]);
}

module.exports = { encode };
