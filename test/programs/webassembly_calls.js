'use strict';

// Functions of WebAssembly that do next to nothing are called again and again, so that most of the time goes by between
// them and JavaScript. One takes an object, where V8 can do that.
//
//   node webassembly_calls.js
//
//   DURATION_MS  how long to run (20000)
//
// It prints "ready PID" on stderr when they have run for a second, and are compiled.

const { number } = require('./lib/env');
const { ready } = require('./lib/output');

const [i32, anyref] = [0x7f, 0x6e];

// load gives a function of one parameter and a number as its result. (WebAssembly core specification, "Binary Format")
function load(parameter, ...code) {
  const body = [0, 0x20, 0, ...code, 0x0b]; // of the parameter
  const bytes = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    1, 6, 1, 0x60, 1, parameter, 1, i32,
    3, 2, 1, 0,
    7, 7, 1, 3, ...Buffer.from('run'), 0, 0,
    10, body.length + 2, 1, body.length, ...body,
  ];
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes))).exports.run;
}

const addSeven = load(i32, 0x41, 7, 0x6a);
const isNull = Number(process.versions.node.split('.')[0]) < 22 ? addSeven : load(anyref, 0xd1);

function numbers() {
  let x = 0;
  for (let i = 0; i < 10000; i++) x = addSeven(x);
  return x;
}

const object = {};

function objects() {
  let x = 0;
  for (let i = 0; i < 10000; i++) x += isNull(object);
  return x;
}

function run(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    numbers();
    objects();
  }
}

run(1000);
ready();
run(number('DURATION_MS', 20000));
