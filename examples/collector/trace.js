'use strict';

// Reads what a Collector's file exporter has written of spans and profiles, and prints one trace.

const fs = require('node:fs');

// messages yields the OTLP/JSON messages of a file, one a line.
function* messages(file) {
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    if (line) yield JSON.parse(line);
  }
}

// readSpans returns the spans of each trace.
function readSpans(file) {
  const traces = new Map();
  for (const message of messages(file)) {
    for (const { scopeSpans } of message.resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        if (!traces.has(span.traceId)) traces.set(span.traceId, []);
        traces.get(span.traceId).push(span);
      }
    }
  }
  return traces;
}

// threadName returns the name of the thread on which a sample was taken.
function threadName({ attributeTable, stringTable }, attributeIndices) {
  const attributes = attributeIndices.map((i) => attributeTable[i]);
  return attributes.find((a) => stringTable[a.keyStrindex] === 'thread.name')?.value.stringValue;
}

// scriptFunction returns the function nearest to the leaf that is of a file of JavaScript, if there is one. Fields of
// value 0 are not in the messages.
function scriptFunction({ stackTable, locationTable, functionTable, stringTable }, stackIndex = 0) {
  for (const location of stackTable[stackIndex].locationIndices ?? []) {
    for (const { functionIndex = 0 } of locationTable[location].lines ?? []) {
      const { nameStrindex = 0, filenameStrindex = 0 } = functionTable[functionIndex];
      const file = stringTable[filenameStrindex];
      if (file.endsWith('.js')) return `${stringTable[nameStrindex]} (${file.replace(/.*\//, '')})`;
    }
  }
  return undefined;
}

// readSamples returns how many samples each function has, by span, and the milliseconds that a sample stands for.
function readSamples(file) {
  const bySpan = new Map();
  let period = 0;
  for (const { resourceProfiles, dictionary } of messages(file)) {
    for (const profile of resourceProfiles.flatMap((r) => r.scopeProfiles).flatMap((s) => s.profiles)) {
      period = Number(profile.period) / 1e6;
      for (const { stackIndex, linkIndex, attributeIndices, timestampsUnixNano } of profile.samples ?? []) {
        if (!linkIndex) continue;
        const { traceId, spanId } = dictionary.linkTable[linkIndex];
        const key = traceId + spanId;
        if (!bySpan.has(key)) bySpan.set(key, new Map());
        const functions = bySpan.get(key);
        const name = scriptFunction(dictionary, stackIndex) ?? `thread ${threadName(dictionary, attributeIndices)}`;
        functions.set(name, (functions.get(name) ?? 0) + timestampsUnixNano.length);
      }
    }
  }
  return { bySpan, period };
}

// total adds up the samples of functions that which accepts.
function total(functions, which = () => true) {
  return [...(functions ?? [])].reduce((sum, [name, n]) => sum + (which(name) ? n : 0), 0);
}

function printSpan(span, indent, spans, samples) {
  const functions = samples.bySpan.get(span.traceId + span.spanId);
  const took = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6;
  const cpu = total(functions) * samples.period;
  const name = (indent + span.name).padEnd(44);
  console.log(`${name}${took.toFixed(1).padStart(6)} ms${cpu.toFixed(1).padStart(6)} ms CPU`);
  for (const [name, n] of [...(functions ?? [])].sort((a, b) => b[1] - a[1])) {
    const own = (n * samples.period).toFixed(1).padStart(6);
    console.log(`${`${indent}  · ${name}`.padEnd(53)}${own} ms`);
  }
  const children = spans.filter((s) => s.parentSpanId === span.spanId);
  children.sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  for (const child of children) printSpan(child, `${indent}  `, spans, samples);
}

// printTrace prints the trace that has most samples in scripts. It throws if no sample is of a span.
function printTrace(spansFile, profilesFile) {
  const traces = readSpans(spansFile);
  const samples = readSamples(profilesFile);
  const count = (spans, which) => spans.reduce((n, s) => n + total(samples.bySpan.get(s.traceId + s.spanId), which), 0);
  const inScripts = (spans) => count(spans, (name) => !name.startsWith('thread '));
  const [id, spans] = [...traces].sort((a, b) => inScripts(b[1]) - inScripts(a[1]))[0] ?? [];
  if (!id || inScripts(spans) === 0) throw new Error('no CPU sample belongs to a span');
  console.log(`trace ${id}, ${count(spans)} CPU samples:`);
  const ids = new Set(spans.map((s) => s.spanId));
  for (const span of spans.filter((s) => !ids.has(s.parentSpanId))) printSpan(span, '', spans, samples);
}

module.exports = { printTrace };
