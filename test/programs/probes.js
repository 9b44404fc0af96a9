'use strict';

// Requests call a function of libuv, and with it a system call, known numbers of times: os.getPriority does nothing
// else in the kernel. Until a file exists that GO names, requests called warm open and close a file instead, in
// the pool too if the others do.
//
//   FUNCTION  what they call: priority, or one of those below
//   ADDON     an add-on or another module, whose FUNCTION they call, and before that its warm to its end, if it has one
//   REQUESTS  how many there are after the warm ones (100)
//   CALLS     of the busy request, which comes last (0)
//
// It prints "ready PID" on stderr when it starts, and at the end a line of JSON on stdout: how often each request has
// called the function, by the endpoint in its store, how long the busy one took, in milliseconds, and how much CPU time
// the process used meanwhile. It ends a second after all calls have.

const fs = require('node:fs');
const os = require('node:os');
const { spawnSync } = require('node:child_process');
const v8 = require('node:v8');
const vm = require('node:vm');
const { AsyncLocalStorage } = require('node:async_hooks');
const { number } = require('./lib/env');

const requests = number('REQUESTS', 100);
const calls = number('CALLS', 0);
const storage = new AsyncLocalStorage();
const called = {};
const asynchronous = []; // promises of calls that go on
const own = { priority: os.getPriority, missing, throwing, opening, spawning, signalling, collecting };
const functions = process.env.ADDON ? require(process.env.ADDON) : own;
const collect = gcFunction();
const call = functions[process.env.FUNCTION || 'priority'];
const warmUp = functions.warm || (call === opening ? opening : () => fs.closeSync(fs.openSync('/dev/null')));

// An open that fails: the error has the stack.
function missing() {
  try {
    fs.openSync('/missing');
  } catch {}
}

// Exceptions of JavaScript, of its runtime, of a builtin and of Node; one that passes finally: five.
function throwing() {
  const noop = () => {};
  for (const f of [
    () => { throw new Error('own'); },
    () => null.property,
    () => JSON.parse('{'),
    () => fs.openSync('/missing'),
    () => { try { throw 1; } finally { noop(); } },
  ]) {
    try {
      f();
    } catch {}
  }
}

// Two files: one is opened by a thread of libuv's pool.
function opening() {
  fs.closeSync(fs.openSync('/dev/null'));
  fs.open('/dev/null', (err, fd) => fs.closeSync(fd));
}

function gcFunction() {
  v8.setFlagsFromString('--expose-gc');
  return vm.runInNewContext('gc');
}

function spawning() {
  spawnSync('/bin/true');
}

// SIGCONT, which does nothing to a process that runs.
function signalling() {
  process.kill(process.pid, 'SIGCONT');
}

function collecting() {
  collect();
}

function callOften(times) {
  for (let i = 0; i < times; i++) {
    const result = call();
    if (result) asynchronous.push(result);
  }
}

function handle(endpoint, times) {
  called[endpoint] = times;
  storage.run({ endpoint }, () => callOften(times));
}

async function warm() {
  if (fs.existsSync(process.env.GO)) return next(0);
  await storage.run({ endpoint: 'warm' }, warmUp);
  setTimeout(warm, 10);
}

function next(i) {
  if (i === requests) return busy();
  handle(`request ${i}`, 1 + (i % 5));
  setTimeout(next, 2, i + 1);
}

function busy() {
  const began = performance.now();
  const before = process.cpuUsage();
  if (calls > 0) handle('busy', calls);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ called, took: performance.now() - began, cpu: (user + system) / 1000 }));
  Promise.all(asynchronous).then(() => setTimeout(process.exit, 1000));
}

process.stderr.write(`ready ${process.pid}\n`);
warm();
