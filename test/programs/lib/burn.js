'use strict';

// Ways to spend a given time on the CPU. Each looks at the clock about every ten microseconds.
// They return a number so that no compiler may leave the work out.

function burnNumbers(milliseconds) {
  const end = performance.now() + milliseconds;
  let x = 1;
  do {
    for (let i = 0; i < 4000; i++) x = (Math.imul(x, 1664525) + i) | 0;
  } while (performance.now() < end);
  return x;
}

function burnStrings(milliseconds) {
  const end = performance.now() + milliseconds;
  let x = 0;
  do {
    const text = JSON.stringify({ x, list: [1, 2, 3], name: 'a string of some length' });
    x = (x + JSON.parse(text).list.length + text.length) | 0;
  } while (performance.now() < end);
  return x;
}

// kept makes a part of what burnObjects allocates survive scavenges, so that they have something to move.
const kept = new Array(64).fill(null);
let keptNext = 0;

function burnObjects(milliseconds) {
  const end = performance.now() + milliseconds;
  let x = 0;
  do {
    const list = [];
    for (let i = 0; i < 200; i++) list.push({ i, text: `object ${i}`, next: list[i - 1] });
    kept[keptNext++ % kept.length] = list;
    x += list.length;
  } while (performance.now() < end);
  return x;
}

module.exports = { burnNumbers, burnStrings, burnObjects };
