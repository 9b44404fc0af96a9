'use strict';

// A module of two functions: spin(n) counts in a loop, and call(n) calls the JavaScript function that it imports, n
// times.
// Its name section names them.
//
//   (module (import "env" "back" (func $back (param i32) (result i32)))
//     (func $spin (export "spin") (param i32) (result i32) (local i32) …)
//     (func $call (export "call") (param i32) (result i32) (local i32) …))

const text = (s) => [s.length, ...Buffer.from(s)];
const section = (id, bytes) => [id, bytes.length, ...bytes]; // all are shorter than 128 bytes

// loop: local 1 = expression; local 0 -= 1; again while that is not 0
const loop = (expression) => [
  1, 1, 0x7f, 0x03, 0x40, ...expression, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 1, 0x0b,
];
const spin = loop([0x20, 1, 0x41, 31, 0x6c, 0x20, 0, 0x6a]); // local 1 * 31 + local 0
const call = loop([0x20, 1, 0x10, 0]); // back(local 1)

const bytes = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]),
  ...section(2, [1, ...text('env'), ...text('back'), 0, 0]),
  ...section(3, [2, 0, 0]),
  ...section(7, [2, ...text('spin'), 0, 1, ...text('call'), 0, 2]),
  ...section(10, [2, spin.length, ...spin, call.length, ...call]),
  ...section(0, [...text('name'), 1, 19, 3, 0, ...text('back'), 1, ...text('spin'), 2, ...text('call')]),
]);

const back = (n) => {
  let x = n;
  for (let i = 0; i < 50; i++) x = (x * 31 + i) | 0;
  return x;
};

const module_ = new WebAssembly.Module(bytes);
const { exports: wasm } = new WebAssembly.Instance(module_, { env: { back } });

module.exports = {
  spin: () => wasm.spin(1000000),
  call: () => wasm.call(10000),
  compile: () => WebAssembly.Module.exports(new WebAssembly.Module(bytes)).length,
};
