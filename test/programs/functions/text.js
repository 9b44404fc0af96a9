'use strict';

const bodies = {
  plain: 'x = (Math.imul(x, 1664525) + i) | 0;',
  alloc: 'list.push({ i, x }); x = (x + list.length) | 0; if (list.length > 99) list = [];',
  double: 'x = ((x ^ i) * 1e15) | 0;',
};

// Bodies in which V8 has slow paths, calls or jump tables of its own.
const kinds = {
  double: bodies.double,
  round: 'x = (Math.round(x * 0.7) + Math.floor(i / 3) + Math.sin(x) + 0.5) % 1000;',
  text: 'x = (x + String(x).charCodeAt(i % 3) + `${i}:${x}`.length) | 0;',
  big: 'x = Number((BigInt(x) * 31n + BigInt(i)) & 0xffffn);',
  map: 'const map = (list[0] ??= new Map()); map.set(i & 63, x); x = (x + map.get((i >> 1) & 63)) | 0;',
  typed: 'const bytes = (list[0] ??= new Float32Array(64)); bytes[i & 63] = x; x = (x + bytes[(i * 7) & 63] * 3) | 0;',
  switch: 'switch (x & 7) { case 0: x += 3; break; case 1: x ^= i; break; case 2: x = -x; break; case 3: x += i; ' +
    'break; case 4: x *= 3; break; case 5: x -= 7; break; case 6: x >>= 1; break; default: x = (x * 5 + 1) | 0; }',
  catch: 'try { if ((x & 63) === 0) throw i; x = (x + 1) | 0; } catch (e) { x = (x + e + 1) | 0; }',
  spread: 'const { a, ...rest } = { a: x, b: i, c: 3 }; x = (a + rest.b + rest.c) | 0;',
  shapes: 'const o = i % 5 === 0 ? { i } : i % 5 === 1 ? { x, i } : i % 5 === 2 ? [i] : ' +
    'i % 5 === 3 ? "s" : { y: 1, i }; x = (x + (o.i ?? o.length)) | 0;',
  regexp: 'x = (x + (/^-?[0-9]*7/.test(String(x)) ? 1 : i)) | 0;',
  iterate: 'for (const v of [x, i]) x = (x ^ v) + 1; for (const k in { a: 1, b: 2 }) x = (x + k.length) | 0;',
  apply: 'x = Math.max.apply(null, [x & 1023, i]) + Math.min(...[i, 7]);',
};

// textOf returns the source of a function and of its helper, 14 lines, and where in it which lines are.
// The function's two parameters are the turns of its own loop and of its helper's; below zero it reports its stack to
// the bench instead. Each reads the clock itself: what has to wait at a call is in no interval. bench is the name of a
// variable or parameter that the code can see.
function textOf(name, helper, kind = 'plain') {
  const body = bodies[kind] ?? kinds[kind];
  const lines = [
    `function ${name}(n, m) {`,
    `  if (n < 0) { bench.report(); return 0; }`,
    `  let x = n, list = [];`,
    `  const a = bench.now();`,
    `  for (let i = 0; i < n; i++) { ${body} }`,
    `  const b = bench.now();`,
    `  x ^= ${helper}(m);`,
    `  return bench.record(a, b, x);`,
    `}`,
    `function ${helper}(m) {`,
    `  if (m < 0) { bench.report(); return 0; }`,
    `  let x = m, list = []; bench.helped = bench.now();`,
    `  for (let i = 0; i < m; i++) { ${body} }`,
    `  bench.ended = bench.now(); return x; }`,
  ];
  return { text: lines.join('\n') + '\n', own: [1, 9], helper: [10, 14] };
}

module.exports = { textOf, kinds: Object.keys(kinds) };
