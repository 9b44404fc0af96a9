'use strict';

// A module of WebAssembly, put together byte by byte. (WebAssembly core specification, "Binary Format")

function leb(n) {
  const out = [];
  for (; n >= 0x80; n >>>= 7) out.push((n & 0x7f) | 0x80);
  return [...out, n];
}

function signedLeb(n) {
  const out = [];
  for (; n < -64 || n > 63; n >>= 7) out.push((n & 0x7f) | 0x80);
  return [...out, n & 0x7f];
}

const text = (s) => [...leb(Buffer.byteLength(s)), ...Buffer.from(s)];
const list = (items) => [...leb(items.length), ...items.flat()];
const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes];

const i32 = 0x7f;
const get = (local) => [0x20, ...leb(local)];
const set = (local) => [0x21, ...leb(local)];
const number = (n) => [0x41, ...signedLeb(n)];
const call = (index) => [0x10, ...leb(index)];
const callIndirect = [0x11, 0, 0]; // of type 0, in table 0
const [add, multiply, less, drop, end] = [0x6a, 0x6c, 0x48, 0x1a, 0x0b];

function body(locals, code) {
  const bytes = [...list(locals.map((n) => [...leb(n), i32])), ...code, end];
  return [...leb(bytes.length), ...bytes];
}

// turns is a loop that turns n times, of parameter n, and calls nothing.
const turns = (factor) => [
  0x03, 0x40,
  ...get(2), ...number(factor), multiply, ...get(1), add, ...set(2),
  ...get(1), ...number(1), add, ...set(1),
  ...get(1), ...get(0), less, 0x0d, 0, end,
  ...get(2)];

// burn(n) calls import 0 if n < 0; else it turns n times.
const burn = body([2], [
  ...get(0), ...number(0), less, 0x04, 0x40, ...get(0), ...call(0), drop, end, ...turns(1664525)]);

const both = body([], [...get(0), ...call(7), ...get(0), ...call(8), add]);

const through = (...calling) => body([], [...get(0), ...calling, ...number(1), add]);

// assemble makes a module whose functions have the given names by index, or no names at all. Function 0 is imported, 1,
// 4 and 6 burn, 2, 3 and 5 lead to 1; 9 calls 7 and 8, which call nothing. Only some are exported.
function assemble(moduleName, names) {
  const functions = Object.entries(names).map(([index, name]) => [...leb(Number(index)), ...text(name)]);
  const nameSection = section(0, [
    ...text('name'), ...section(0, text(moduleName)), ...section(1, list(functions))]);
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, list([[0x60, 1, i32, 1, i32]])),
    ...section(2, list([[...text('env'), ...text('report'), 0, 0]])),
    ...section(3, list(Array(9).fill([0]))),
    ...section(4, list([[0x70, 0, 1]])),
    ...section(7, list(
      [['outer', 3], ['unnamed', 4], ['indirect', 5], ['wide', 6], ['both', 9]].map(([s, n]) => [...text(s), 0, n]))),
    ...section(9, list([[0, ...number(0), end, ...list([[1]])]])),
    ...section(10, list([burn, through(...call(1)), through(...call(2)), burn,
      through(...number(0), ...callIndirect), burn,
      body([2], turns(1664525)), body([2], turns(22695477)), both])),
    ...(moduleName ? nameSection : []),
  ]);
}

module.exports = { assemble };
