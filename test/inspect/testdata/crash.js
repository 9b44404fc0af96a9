'use strict';

// A program that dies, or waits, at a known place, in a request, in a worker and in code of each tier.
//
//   node --allow-natives-syntax [FLAGS] crash.js TRUTH HOW
//
//   TRUTH  a directory: main.json and worker.json get the frames that V8 says there were, leaf first:
//          [{"function","file","line","column"},…]; file is null for evaluated code
//   HOW    throw    an exception that nobody catches: a crash with --abort-on-uncaught-exception
//          abort    process.abort()
//          segv     SIGSEGV
//          oom      more memory than --max-old-space-size allows
//          wait     nothing: it prints "ready" to standard error, and waits for ever
//
// In the frame of end, the leaf, the line alone is right.

const { AsyncLocalStorage } = require('async_hooks');
const { writeFileSync, writeSync } = require('fs');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

const [truth, how] = isMainThread ? process.argv.slice(2) : [workerData.truth, 'wait'];
Error.stackTraceLimit = 100;

// note writes the stack that an error was made with.
function note(error) {
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, frames) => frames;
  const frames = error.stack.filter((frame) => frame.getLineNumber() > 0 && !(frame.isAsync && frame.isAsync()));
  Error.prepareStackTrace = before;
  writeFileSync(`${truth}/${isMainThread ? 'main' : 'worker'}.json`, JSON.stringify(frames.map((frame) => ({
    function: frame.getFunctionName(), file: frame.isEval() ? null : frame.getFileName(),
    line: frame.getLineNumber(), column: frame.getColumnNumber(),
  }))));
  if (!isMainThread) parentPort.postMessage('ready');
}

const ends = {
  throw() { throw new Error('nobody catches this'); },
  abort() { process.abort(); },
  segv() { process.kill(process.pid, 'SIGSEGV'); for (;;); },
  oom() { for (const all = []; ; all.push(new Array(1000).fill(all.length))); },
  wait() {
    if (isMainThread) writeSync(2, 'ready\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
};

function end() { note(new Error()); ends[how](); }

// Each function calls the next one. Its compiler is the one that it is named after.
function interpreted(next) {
  const one = 1;
  return one + next();
}

function baseline(next) {
  return 2 + next();
}

function maglev(next) {
  return 3 + next();
}

function inlined(next) {
  return 4 + next();
}

function turbofan(next) {
  return inlined(next) + 5;
}

class Account {
  #secret = 6;

  charge(next) {
    return [this.#secret].map((n) => n + next())[0];
  }

  static get start() {
    return evaluated(() => new Account().charge(() => interpreted(() => baseline(() => maglev(() => turbofan(
      () => new Savings(end)))))));
  }
}

class Savings extends Account {
  constructor(next) {
    super(next());
  }
}

const evaluated = eval('(function evaluated(next) {\n  return 7 + next();\n})');

// native runs a function of V8's on one of ours.
const native = (name, fn) => new Function('fn', `return %${name}(fn)`)(fn);
const knows = (option) => process.execArgv.includes(option);

function warm(fn, optimize) {
  native('PrepareFunctionForOptimization', fn);
  native('PrepareFunctionForOptimization', inlined);
  for (let i = 0; i < 8; i++) fn([() => 1, () => 2, () => 3, () => 4, () => 5, () => 6][i % 6]);
  native(optimize, fn);
  fn(() => 1);
}

function compile() {
  native('CompileBaseline', baseline);
  if (knows('--maglev')) warm(maglev, 'OptimizeMaglevOnNextCall');
  warm(turbofan, 'OptimizeFunctionOnNextCall');
}

const requests = new AsyncLocalStorage();

function handle() {
  for (const step of steps()) step();
}

async function handleLater() {
  await null;
  handle();
}

function* steps() {
  yield () => Account.start;
}

compile();
if (isMainThread) {
  new Worker(__filename, { workerData: { truth } }).on('message', () => {
    requests.run({ tenant: 'acme', user: 41 }, () => {
      setTimeout(how === 'throw' ? handle : handleLater, 1); // a promise would catch what is thrown
    });
  });
} else {
  requests.run({ tenant: 'globex' }, handleLater);
}
