'use strict';
// Stands still in a request with three stores, whose values are strings in each form that V8 has. Says so on standard
// error, by a line, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const parts = ['/checkout', '/orders/', ':id', 'я', 'a text that is longer than what is read with its head'];
const thin = parts[0] + parts[1];
({})[thin] = 1; // the string becomes a reference to the key

const strings = {
  flat: parts.join('-').slice(0, 9) + '', // copied: it is short
  cons: parts[0] + parts[1] + parts[2],
  deep: ((parts[2] + parts[1]) + (parts[0] + parts[1])) + parts[2],
  long: parts[1] + parts[4] + parts[0],
  wide: parts[1] + parts[3] + parts[0] + parts[2],
  sliced: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'.slice(3, 35),
  far: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'.slice(20, 52),
  late: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'.slice(35, 48),
  slicedWide: 'яяя, a two-byte string that has a part'.slice(3, 22),
  thin,
};

const shared = { name: 'shared', other: 'the same object', number: 7, yes: true };
const stores = [
  { user: { id: 'of the first store' }, left: shared },
  { user: { id: 'of the second store' }, second: { only: 'here' }, strings },
  { user: { id: 'of the third store' }, pair: { left: shared, right: shared }, right: { of: { right: shared } } },
];

function stand() {
  fs.writeSync(2, '{}\n');
  fs.readSync(0, Buffer.alloc(1));
}

const run = stores.reduceRight((inner, store) => () => new AsyncLocalStorage().run(store, inner), stand);
setImmediate(run);
