'use strict';

// A program that dies with errors whose stacks V8 has not written yet: each frame of hold has one as its first argument,
// the last one first. TRUTH, a file, gets the stacks of errors that were made at the same places, in the same order.
//
//   node --abort-on-uncaught-exception unwritten.js TRUTH

const { writeFileSync } = require('fs');

class Shop {
  sell(n) { return [0, 1].map(() => this.fail(n)); }
  fail(n) { return new Error(`sold ${n}`); }
  static make() { return new Shop().sell(1); }
  async later() {
    await null;
    return this.sell(2);
  }
}

function hold(value, rest) {
  if (rest.length > 0) return hold(rest[0], rest.slice(1)) + 1;
  throw new Error('nobody catches this');
}

async function main() {
  const pairs = [
    Shop.make(),
    (function plain() { return [0, 1].map(function inMap() { return new Error('plain\nof two lines'); }); })(),
    new (function Ctor() { this.all = [0, 1].map(() => new TypeError('made')); })().all,
    await new Shop().later(),
    [0, 1].map(() => { try { return null.x; } catch (error) { return error; } }),
    [0, 1].map(() => { try { return JSON.parse('{'); } catch (error) { return error; } }),
    [0, 1].map(function* () { yield new Error('in a generator'); }).map((g) => g.next().value),
  ];
  writeFileSync(process.argv[2], JSON.stringify(pairs.map((pair) => pair[0].stack).reverse()));
  setTimeout(() => hold(pairs[0][1], pairs.slice(1).map((pair) => pair[1])), 1);
}

main();
