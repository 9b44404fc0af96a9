'use strict';

const v8 = require('node:v8');

v8.setFlagsFromString('--allow-natives-syntax');
const status = new Function('fn', 'return %GetOptimizationStatus(fn)');

// neverOptimize keeps fn in the interpreter or baseline code: what it calls is not inlined into it.
const neverOptimize = new Function('fn', '%NeverOptimizeFunction(fn)');

// The bits of %GetOptimizationStatus (V8: test/mjsunit/mjsunit.js, V8OptimizationStatus). V8 dropped
// kAlwaysOptimize between 13.6 and 14.6, so all bits above it moved down by one; kIsLazy, the highest bit of a
// function that was never called, tells where they are. V8 10 and before have no kIsLazy: there the highest bit of a
// function that was called once is kInterpreted or, eight above it, kBaseline. V8 9 has no kMaglevved below these.
function moved() {
  const lazy = 31 - Math.clz32(status(function never() {}));
  if (lazy > 8) return lazy - 18;
  const once = () => 1;
  once();
  return ((31 - Math.clz32(status(once))) & 7) - 7;
}
const down = moved();
const bit = (inNode24) => 1 << (inNode24 + down);
const maglevved = bit(5);
const turboFanned = bit(6);
const interpreted = bit(7);
const baseline = bit(15);

// tier says in which tier's code the next call of fn will run.
function tier(fn) {
  const bits = status(fn);
  if (bits & turboFanned) return 'turbofan';
  if (bits & maglevved) return 'maglev';
  if (bits & baseline) return 'sparkplug';
  return bits & interpreted ? 'ignition' : 'unknown';
}

module.exports = { tier, neverOptimize };
