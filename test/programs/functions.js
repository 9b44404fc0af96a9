'use strict';

// Two hundred generated functions burn 1 to 3 ms each, in random order, first themselves and then in a helper that
// they call from a known line. The program writes down which of them was the leaf when.
//
//   node functions.js [FILE]
//
//   DURATION_MS  how long to run (20000)
//   STOP         a file: run no longer than until it exists
//   MODE         plain
//                alloc: the loops allocate, so that samples fall into collections
//                double: the loops make integers of large doubles, which compilers do out of line
//                kinds: the loops do each something else, of what V8 has slow paths, calls and jump tables for
//                churn: every other function is made on the spot (eval, new Function, vm.Script) under a new name,
//                  run once or some times, and forgotten; forced collections free its code and move the rest
//   INSPECT      1: every other function, but for those made on the spot, has a breakpoint of a debugger's
//   SEED         of the random choices (1)
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node","mode","made"}    made: functions made on the spot
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"},…]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// A stack is leaf first. Its leaf lies between its first and last line; the callers are at the line and column that
// new Error().stack gave for the same call. Frames of Node itself are left out. Code that was evaluated has the file
// that its sourceURL says, or "" where it has none. Within an interval no other JavaScript function runs.

const { number, choice, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Bench } = require('./functions/bench');
const { loadStatic } = require('./functions/static');
const { maker } = require('./functions/churn');
const { inspect } = require('./functions/inspect');
const { collector } = require('./functions/collect');

const mode = choice('MODE', ['plain', 'alloc', 'double', 'kinds', 'churn']);
const deadline = performance.now() + number('DURATION_MS', 20000);
const below = random(number('SEED', 1));
const bench = new Bench(200000, below);
const functions = loadStatic(200, mode, bench);
if (number('INSPECT', 0)) inspect('/generated\\.js$', functions.filter((_, i) => i % 2).map((fn) => fn.own[1] - 1));
const make = maker(bench, below);
const collect = collector(below);
let made = 0;

// Some milliseconds of work, then back to the event loop.
function turn() {
  for (let i = 0; i < 8; i++) {
    bench.run(functions[below(functions.length)]);
    if (mode !== 'churn') continue;
    const fresh = make(made++);
    for (let n = 1 + below(4); n > 0; n--) bench.run(fresh);
    collect();
  }
  if (performance.now() < deadline && !bench.full && !stopped()) setImmediate(turn);
  else write({ mode, made }, bench.stacks.lines(), bench.lines());
}

ready();
setImmediate(turn);
