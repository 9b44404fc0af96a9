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
const FEW = 32;
let dead = [];
const registry = new FinalizationRegistry((number) => {
  if (sessions > 0) dead.push(number);
});

// move moves the values of some contexts that were collected, and returns whether there were any.
function move() {
  let n = 0;
  for (; n < FEW && dead.length > 0; n++) release(dead.pop());
  return n > 0;
}

function release(number) {
  if (!living.has(number)) return; // of an earlier profile
  gone.values.set(number, living.get(number));
  living.delete(number);
}

/** The number of a new context, as a label; undefined while no profile is being taken. */
function number() {
  return sessions > 0 ? `${threadId}.${++last}` : undefined;
}

const mine = `${threadId}.`;
const numberOf = (text) => (text?.startsWith(mine) ? Number(text.slice(mine.length)) : 0);

/** Holds the value of a context that has a number, until no snapshot can name it. */
function hold(context, text) {
  if (text === undefined) return;
  const n = numberOf(text);
  if (n % 16 === 0) move();
  while (living.size + gone.values.size >= MOST) {
    if (!move()) {
      counters.unheld++;
      return;
    }
  }
  living.set(n, context.value);
  registry.register(context, n);
}

/** The values that the samples of one profile may name, from its begin to its end. */
class Held {
  #from = gone;

  constructor() {
    sessions++;
  }

  /** There is nothing to prepare once the agent samples. */
  begin() {}

  /** What finds the values that a snapshot names, which is about to be taken; also later. */
  snapshot() {
    const first = this.#from;
    const now = living;
    move();
    gone.next = { values: new Map(), next: undefined };
    this.#from = gone = gone.next;
    return (text) => {
      const wanted = numberOf(text);
      return now.has(wanted) ? now.get(wanted) : valueIn(first, wanted);
    };
  }

  end() {
    if (--sessions > 0) return;
    living = new Map();
    gone = { values: new Map(), next: undefined };
    dead = [];
  }
}

function valueIn(first, wanted) {
  let map = first;
  while (map && !map.values.has(wanted)) map = map.next;
  return map?.values.get(wanted);
}

module.exports = { LABEL, Held, number, numberOf, hold, valueIn };
