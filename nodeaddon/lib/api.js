'use strict';

const { counters } = require('./bytes');
const { storage, Context, form } = require('./storage');

const contextOf = (value) => (value === undefined ? undefined : new Context(value));

function runWithContext(value, fn, ...args) {
  return storage.run(contextOf(value), fn, ...args);
}

function enterWithContext(value) {
  storage.enterWith(contextOf(value));
}

function getContext() {
  return storage.getStore()?.value;
}

// current is the current value with what has been set since it was attached.
function current() {
  const context = storage.getStore();
  if (!context) return {};
  const { value, changes } = context;
  return changes ? { ...value, labels: { ...value.labels, ...changes } } : value;
}

function withLabels(labels, fn, ...args) {
  const value = current();
  return runWithContext({ ...value, labels: { ...value.labels, ...labels } }, fn, ...args);
}

function setLabel(name, value) {
  const context = storage.getStore();
  context?.set(name, value);
  return context !== undefined;
}

function setRoute(route) {
  return setLabel('http.route', route);
}

module.exports = {
  runWithContext,
  enterWithContext,
  getContext,
  withLabels,
  setLabel,
  setRoute,
  counters,
  form,
};
