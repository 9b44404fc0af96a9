'use strict';
// Stands still in a request whose store has values in each way that V8 keeps properties and entries. Says so on standard
// error, by a line, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

class Account {
  #plan = 'private';
  constructor() { this.id = 7; }
  get plan() { return this.#plan; }
}

// Two hidden classes share descriptors, of which the first has one.
const shorter = { first: 1 };
const longer = { first: 1 };
longer.beyond = 'in the other class';

const store = { // an accessor, and the others in the object itself
  get computed() { return 'never run'; },
  inside: 'in the object',
  account: new Account(),
  shorter,
  longer,
  list: ['element 0', 'element 1'],
};
store.outside = 'in the property array';
store[('я' + 'two' + 'Byte').slice(1)] = 'under a two-byte key';
store['имя'] = 'under another one';

store.dictionary = {};
for (let i = 0; i < 60; i++) store.dictionary['key' + i] = i;
store.dictionary.user = 'in a dictionary';
delete store.dictionary.key0;

store.map = new Map();
for (let i = 0; i < 200; i++) store.map.set('key' + i, i);
store.map.set(Symbol('some'), 'under a symbol').set(Symbol.for('some'), 'under a registered one');
store.map.set('tenant', 'at the end');
store.map.delete('key3');

store.map.note = 'beside the entries'; // an object with both takes two visits
store.list.note = 'beside the elements';

store.small = new Map([['tenant', 'in a small one'], [Symbol.for('some'), 'registered in a small one']]);

setImmediate(() => new AsyncLocalStorage().run(store, () => {
  fs.writeSync(2, '{}\n');
  fs.readSync(0, Buffer.alloc(1));
}));
