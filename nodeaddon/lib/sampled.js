'use strict';

const { closeSync } = require('node:fs');
const { getSystemErrorName } = require('node:util');
const { counters } = require('./bytes');
const { Held, numberOf, valueIn } = require('./held');

const generation = () => ({ values: new Map(), next: undefined });

/**
 * The values that the samples of one profile name, from its begin to its end, where contexts have records: the add-on
 * keeps contexts that samples have from being collected, and no others. Of those that it has kept each snapshot begins
 * a new map, as in Held.
 */
class Sampled {
  #native;
  #key;
  #profile = 0;
  #numbered = new Held();
  #now = generation();
  #from = this.#now;

  /** key is that of the label that numbers contexts, in records. */
  constructor(native, key) {
    this.#native = native;
    this.#key = key;
  }

  /** Has the agent share what samples have, in a session that has begun. */
  async begin(socket, { id }, messages) {
    if (id === undefined) return; // it shares nothing
    const connection = this.#native.ask(socket, `${id}`);
    if (connection < 0) throw new Error(`hotspan: ${socket}: ${getSystemErrorName(connection)}`);
    try {
      await messages.next('shared');
    } catch (err) {
      closeSync(connection);
      throw err;
    }
    this.#profile = this.#native.begin(connection, this.#key);
    if (this.#profile === 0) throw new Error('hotspan: the agent does not say which contexts samples have');
  }

  /** What finds the values that a snapshot names, which is about to be taken; also later. */
  snapshot() {
    const first = this.#from;
    this.#take();
    this.#from = this.#now = this.#now.next = generation();
    return (text) => {
      const wanted = numberOf(text);
      if (wanted === 0) return undefined;
      this.#take(); // what was sampled after snapshot was called
      const context = valueIn(first, wanted);
      if (!context) counters.unheld++;
      return context?.value;
    };
  }

  end() {
    this.#take();
    this.#native.end(this.#profile);
    this.#numbered.end();
  }

  #take() {
    const taken = this.#native.take(this.#profile);
    for (let i = 0; i < taken.length; i += 2) this.#now.values.set(taken[i], taken[i + 1]);
  }
}

module.exports = { Sampled };
