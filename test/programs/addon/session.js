'use strict';

const fs = require('node:fs');

// startSession takes a profile of this process by its own, and writes each sample into a file, as hotspan does, with
// the ids of the context that it names. It returns a function that ends this.
async function startSession(hotspan, socket, file) {
  const session = await hotspan.startProfile({ frequency: 997, socket });
  let end;
  const timer = setInterval(async () => note(await session.snapshot()), 300);

  // Snapshots follow each other: a gap would be a loss that nothing tells.
  function note(profile) {
    if (end !== undefined && profile.start !== end) throw new Error(`a gap of ${profile.start - end} ns`);
    end = profile.end;
    let lines = '';
    for (const sample of profile.samples()) lines += lineOf(sample) + '\n';
    fs.appendFileSync(file, lines);
  }

  return async () => {
    clearInterval(timer);
    note(await session.stopAndCapture());
  };
}

function lineOf({ timestamp, threadId, thread, state, stack, labels, context }) {
  const ids = context?.traceId ? { trace_id: context.traceId, span_id: context.spanId } : {};
  if (context && labels.span_id !== context.spanId) ids.contradicts = String(labels.span_id);
  const frames = stack.map(({ function: f, file, line, kind }) => ({ f, file, line, kind }));
  const rest = { pid: process.pid, tid: threadId, thread, state, stop: 'root', labels: ids, stack: frames };
  return `{"t":${timestamp},${JSON.stringify(rest).slice(1)}`; // JSON.stringify takes no BigInt
}

module.exports = { startSession };
