'use strict';

const { counters, fieldsOf } = require('./bytes');
const { storage, create, change, run, form } = require('./storage');

const contextOf = (value) => (value === undefined ? undefined : create(value));


function runWithContext(value, fn, ...args) {
  return run(contextOf(value), fn, args);
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
  if (!changes) return value;
  return { ...fieldsOf(value), labels: { ...value?.labels, ...changes } };
}

function withLabels(labels, fn, ...args) {
  const value = current();
  return runWithContext({ ...fieldsOf(value), labels: { ...value?.labels, ...labels } }, fn, ...args);
}

function setLabel(name, value) {
  const context = storage.getStore();
  if (context) change(context, name, value);
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
