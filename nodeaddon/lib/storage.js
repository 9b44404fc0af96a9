'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { isMainThread } = require('node:worker_threads');
const { bytes } = require('./bytes');
const { load } = require('./native');
const { recordContexts } = require('./record');
const { resource } = require('./resource');
const { TextContext } = require('./text');

/** The AsyncLocalStorage whose store is the current context, or undefined. */
const storage = new AsyncLocalStorage({ name: 'hotspan' });

// publish tells readers outside the process where to find contexts, on this thread, and returns the class of contexts
// and how they are published: record, or text if Node keeps stores where readers of records do not look.
function publish() {
  const { native, missing } = load();
  if (missing) {
    if (isMainThread) process.emitWarning(`hotspan: ${missing}: only hotspan itself can read contexts`);
    return { Context: TextContext, form: 'text' };
  }
  const probe = new native.Context(0);
  const readable = storage.run(probe, () => native.start(storage, probe, bytes, resource()));
  return readable ? { Context: recordContexts(native), form: 'record' } : { Context: TextContext, form: 'text' };
}

module.exports = { storage, ...publish() };
