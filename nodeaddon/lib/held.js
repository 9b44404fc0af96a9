'use strict';

const { threadId } = require('node:worker_threads');
const { counters } = require('./bytes');

// The most values that are held for the samples of a profile.
const MOST = 100_000;

/** The label that numbers contexts, while a profile of this process is being taken. hotspan has it in no other. */
const LABEL = 'hotspan.context';

// The values of contexts that samples may name, by number: those that live, and those that were collected since a
// snapshot, which the next snapshot may name. Of the latter each snapshot begins a new map, which the one before leads
// to. So a snapshot takes no time for them.
let living = new Map();
let gone = { values: new Map(), next: undefined };
let sessions = 0;
let last = 0;

// The numbers of contexts that were collected. A collection may find thousands at once: a few are moved to gone each
// time that a context is made, so that no turn of the event loop takes the time of all.
const few = new Float64Array(32);
let native;
let dead = [];
const registry = new FinalizationRegistry((number) => {
  if (sessions > 0) dead.push(number);
});

/** Has contexts with records tell when they are collected: by the add-on, and the key of the label in records. */
function useRecords(addon, key) {
  native = { addon, key };
}

// move moves the values of some contexts that were collected, and returns whether there were any.
function move() {
  let n = native ? native.addon.collected(few) : 0;
  for (let i = 0; i < n; i++) release(few[i]);
  for (; n < few.length && dead.length > 0; n++) release(dead.pop());
  return n > 0;
}

function release(number) {
  if (!living.has(number)) return; // of an earlier profile
  gone.values.set(number, living.get(number));
  living.delete(number);
}

/** The number of a new context with a value, as a label; undefined while no profile is being taken. */
function number(value) {
  if (sessions === 0) return undefined;
  if (last % 16 === 0) move();
  while (living.size + gone.values.size >= MOST) {
    if (!move()) {
      counters.unheld++;
      return undefined;
    }
  }
  living.set(++last, value);
  return `${threadId}.${last}`;
}

const mine = `${threadId}.`;
const numberOf = (text) => Number(text.slice(mine.length));

/** Has a context whose record, if it has one, lacks the number that it was given tell when it is collected. */
function holdFor(context, text) {
  if (text !== undefined) registry.register(context, numberOf(text));
}

/** The values that the samples of one profile may name, from its begin to its end. */
class Held {
  #from = gone;

  constructor() {
    if (++sessions === 1) native?.addon.keep(native.key());
  }

  /** What finds the values that a snapshot names, which is about to be taken; also later. */
  snapshot() {
    const first = this.#from;
    const now = living;
    move();
    gone.next = { values: new Map(), next: undefined };
    this.#from = gone = gone.next;
    return (text) => {
      const wanted = text?.startsWith(mine) ? numberOf(text) : 0;
      if (now.has(wanted)) return now.get(wanted);
      let map = first;
      while (map && !map.values.has(wanted)) map = map.next;
      return map?.values.get(wanted);
    };
  }

  end() {
    if (--sessions > 0) return;
    living = new Map();
    gone = { values: new Map(), next: undefined };
    dead = [];
    native?.addon.keep(-1);
  }
}

module.exports = { LABEL, Held, number, holdFor, useRecords };
