'use strict';

/**
 * The attributes of the resource, from the variables of the environment that OpenTelemetry defines, encoded:
 * repeated KeyValue attributes = 1 of opentelemetry.proto.resource.v1.Resource.
 */
function resource(env = process.env) {
  const attributes = { 'process.runtime.name': 'nodejs', 'process.runtime.version': process.versions.node };
  for (const pair of (env.OTEL_RESOURCE_ATTRIBUTES || '').split(',')) {
    const [key, value] = pair.split('=');
    if (value) attributes[key.trim()] = decoded(value.trim());
  }
  if (env.OTEL_SERVICE_NAME) attributes['service.name'] = env.OTEL_SERVICE_NAME;
  return Buffer.concat(Object.entries(attributes).map(([key, value]) => field(1, keyValue(key, value))));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// KeyValue{string key = 1; AnyValue value = 2}, AnyValue{string string_value = 1}
const keyValue = (key, value) => Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, Buffer.from(value)))]);

const field = (number, bytes) => Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);

function varint(n) {
  const list = [];
  for (; n > 127; n = Math.floor(n / 128)) list.push((n % 128) | 128);
  return Buffer.from([...list, n]);
}

module.exports = { resource };
