'use strict';

// A chain of calls, a → b → c → leaf, burns CPU in the leaf, in a tier that V8's flags choose:
//
//   ignition    --no-sparkplug --no-maglev --no-opt
//   sparkplug   --always-sparkplug --no-maglev --no-opt
//   maglev      --maglev --no-turbofan                   (from Node 23 on; what has no Maglev does not know its flags)
//   turbofan    none
//
// TurboFan inlines the whole chain into the function that calls it, burst. Maglev inlines a, b and c into it, and
// calls leaf. With --no-maglev-inlining --no-turbo-inlining each function has a frame of its own.
//
//   TIER=turbofan node [FLAGS] tiers.js [FILE]
//
//   DURATION_MS  how long to burn (10000)
//   STOP         a file: burn no longer than until it exists
//   TIER         the tier that the flags are for (ignition, sparkplug, maglev, turbofan). The program ends with an
//                error if the chain does not reach it, as V8's own %GetOptimizationStatus sees it.
//
// It prints "ready PID" on stderr when the chain is in its tier, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node","tier","flags":[…],"inlined","tiers":{"a","b","c","leaf","burst"}}
//                          inlined: true where V8 inlines; tiers: what V8 says of the code that each function has,
//                          which does not run where it is inlined
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"function","function","file","first","last"}      lines of each function of the chain
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"},…]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// The stack is leaf first; its callers are at the line and column that new Error().stack gave for the same call,
// before the burning and again after it. Nearly all of an interval is in the leaf: a few samples in ten thousand
// may be in the callers or in the clock.

const { choice, number, stopped } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { Stacks } = require('./lib/stacks');
const { burst } = require('./tiers/burst');
const { functions, lines, report } = require('./tiers/chain');
const { neverOptimize, tier } = require('./tiers/status');

const wanted = choice('TIER', ['turbofan', 'ignition', 'sparkplug', 'maglev']);
const milliseconds = number('DURATION_MS', 10000);

// askChain returns the frames of the chain and of burst, as the chain itself reports them.
function askChain() {
  burst(0, -1);
  return report.frames.slice(0, report.frames.findIndex((frame) => frame.function === 'burst') + 1);
}

const inlines = ['maglev', 'turbofan'].includes(wanted) && !process.execArgv.some((flag) => flag.endsWith('-inlining'));

// tiers says in which tier's code each function is.
function tiers() {
  return Object.fromEntries(Object.entries({ ...functions, burst }).map(([name, fn]) => [name, tier(fn)]));
}

// Functions that were inlined have code of their own too, which does not run: where V8 inlines, only the others count.
function inTier() {
  const now = tiers();
  const counting = { turbofan: [now.burst], maglev: [now.burst, now.leaf] };
  return (inlines ? counting[wanted] : Object.values(now)).every((tier) => tier === wanted);
}

function checkTier() {
  if (!inTier()) throw new Error(`not in ${wanted}: ${JSON.stringify(tiers())}`);
}

function warmUp() {
  const deadline = performance.now() + 5000;
  while (!inTier() && performance.now() < deadline) {
    for (let i = 0; i < 2000; i++) burst(0, 50);
    burst(2);
  }
  checkTier();
}

function measure() {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline && !intervals.full && !stopped()) {
    const { start, end } = burst(5);
    intervals.add(start, end);
  }
}

function* functionLines() {
  for (const [name, fn] of Object.entries(functions)) {
    const [first, last] = lines(fn);
    const { file } = frames.find((frame) => frame.function === name);
    yield JSON.stringify({ kind: 'function', function: name, file, first, last }) + '\n';
  }
}

const stacks = new Stacks();
const intervals = new Intervals(100000);
const frames = askChain();
stacks.add(frames, ...lines(functions.leaf));
for (const fn of [warmUp, measure]) neverOptimize(fn);
warmUp();
ready();
measure();
checkTier();
const settled = tiers();
if (JSON.stringify(askChain()) !== JSON.stringify(frames)) throw new Error('the stack is not what it was at first');
const header = { tier: wanted, flags: process.execArgv, inlined: inlines, tiers: settled };
write(header, functionLines(), stacks.lines(), intervals.lines(() => ({ stack: 0 })));
