'use strict';

// It waits 50 ms in one function, and calls a function of libuv in another, again and again. It prints "ready PID" on
// stderr when it starts, and ends after DURATION_MS.

const os = require('node:os');
const { number } = require('./lib/env');

const cell = new Int32Array(new SharedArrayBuffer(4));

const waitHere = () => Atomics.wait(cell, 0, 0, 50);
const callHere = () => os.getPriority();

function pause() {
  waitHere();
  callHere();
  setTimeout(pause, 20);
}

process.stderr.write(`ready ${process.pid}\n`);
pause();
setTimeout(process.exit, number('DURATION_MS', 60000));
