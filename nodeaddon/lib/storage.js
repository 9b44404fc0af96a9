'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { isMainThread } = require('node:worker_threads');
const { bytes } = require('./bytes');
const { load } = require('./native');
const { records } = require('./record');
const { resource } = require('./resource');
const texts = require('./text');

/** The AsyncLocalStorage whose store is the current context, or undefined. */
const storage = new AsyncLocalStorage({ name: 'hotspan' });

// publish tells readers outside the process where to find contexts, on this thread, and returns what makes them, and
// how they are published: record, or text if Node keeps stores where readers of records do not look.
function publish() {
  const { native, missing } = load();
  if (missing && isMainThread) process.emitWarning(`hotspan: ${missing}: only hotspan itself can read contexts`);
  const { write, ...contexts } = native ? records(native) : {};
  if (native && readable(native, write)) return { ...contexts, run: runner(native), form: 'record' };
  return { ...texts, run: (context, fn, args) => storage.run(context, fn, ...args), form: 'text' };
}

// readable reports whether readers find what is published. The frame from before comes back: to have one takes time.
function readable(native, write) {
  const before = native.frame();
  const probe = native.make();
  // current is the record of the current context, for threads without JavaScript.
  const current = () => {
    const context = storage.getStore();
    if (!context || found) return context;
    write(context);
    return true;
  };
  const found = storage.run(probe, () => native.start(storage, probe, bytes, resource(), current));
  native.restore(native.frame(), before);
  return found;
}

// runner returns what storage.run does, in half the time: the frame from before comes back as it was, instead of
// another one with the same stores. If fn has changed the stores of others, which are to stay, a new one is needed.
function runner(native) {
  return (context, fn, args) => {
    const before = native.frame();
    storage.enterWith(context);
    const mine = native.frame();
    try {
      return fn.apply(null, args);
    } finally {
      if (!native.restore(mine, before)) storage.enterWith(before?.get(storage));
    }
  };
}

module.exports = { storage, ...publish() };
