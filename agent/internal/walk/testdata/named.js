'use strict';
// Stands still in a request with many AsyncLocalStorages, whose names V8 keeps in each way that it has for texts, or
// which have none. Says so on standard error, by a line, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const named = (name) => new AsyncLocalStorage({ name });
const parts = ['it was put ', 'together', 'имя-', 'in two forms', ' x'.repeat(30)];

class Derived extends AsyncLocalStorage {
  #name = 'flat'; // of another class than the field in which the name is
  get other() { return this.#name; }
}

const slow = named('in a dictionary');
slow.first = slow.second = 1;
delete slow.first;

const stores = [
  [new Derived({ name: 'derived' }), 'of a derived class'],
  [named('flat'), 'of a flat name'],
  [named(parts[0] + parts[1]), 'of a name in parts'],
  [named('a part of a long text'.slice(2)), 'of a part of a text'],
  [named(('я' + 'twoByte').slice(1)), 'of a two-byte name'],
  [named('имя'), 'of another one'],
  [named(7), 'of a number'],
  [named('x'.repeat(64)), 'of the longest name'],
  [slow, 'of a dictionary'],
  [named('object'), { id: 'in an object' }],
  [named('boolean'), true],
  // none of these has a name that a rule has
  [named('x'.repeat(65)), 'of a name that is too long'],
  [new AsyncLocalStorage(), 'without a name'],
  [named(''), 'of an empty name'],
  [named('flaT'), 'of a name as long'],
  [named(parts[1] + parts[4]), 'of a long name in parts'],
];
if (process.argv[2] === 'mixed') stores.push([named(parts[2] + parts[3]), 'of a name in two forms']);

const run = stores.reduce((then, [storage, store]) => () => storage.run(store, then), () => {
  fs.writeSync(2, '{}\n');
  fs.readSync(0, Buffer.alloc(1));
});
setImmediate(run);
