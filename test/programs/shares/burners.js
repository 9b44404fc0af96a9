'use strict';

// Six functions that burn CPU, each in its own way, about equally long for the same n.

function numbers(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x;
}

function floats(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = x * 0.5 + i;
  return x;
}

const list = new Int32Array(1024);

function arrays(n) {
  for (let i = 0; i < n; i++) list[i & 1023] += list[(i * 7) & 1023] + i;
  return list[0];
}

function objects(n) {
  let o = { x: 1 };
  for (let i = 0; i < n; i += 4) o = { x: o.x + i };
  return o.x;
}

function texts(n) {
  let length = 0;
  for (let i = 0; i < n; i += 16) length += `${i}`.length;
  return length;
}

function branches(n) {
  let x = n;
  for (let i = 0; i < n; i++) x = x & 1 ? (x * 3 + 1) | 0 : x >>> 1;
  return x;
}

module.exports = { burners: [numbers, floats, arrays, objects, texts, branches], file: __filename };
