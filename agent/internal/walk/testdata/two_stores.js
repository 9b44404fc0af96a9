'use strict';
// Stands still in a request with two stores that have the same properties: values of the one begin with "first", of the
// other with "second". Says so on standard error, by a line, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const store = (which) => ({
  short: which,
  long: which + ' is longer than the characters that are read with the head of a string',
  wide: which + ' имя',
  object: { inside: which },
  list: [which],
  map: new Map([['tenant', which]]),
});
const first = store('first');
const second = store('second');
first.number = 1;
second.number = 'second';
first.empty = '';
second.empty = 'second';

new AsyncLocalStorage().run(first, () => new AsyncLocalStorage().run(second, () => {
  fs.writeSync(2, '{}\n');
  fs.readSync(0, Buffer.alloc(1));
}));
