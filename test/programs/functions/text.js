'use strict';

const bodies = {
  plain: 'x = (Math.imul(x, 1664525) + i) | 0;',
  double: 'x = ((x ^ i) * 1e15) | 0;',
  alloc: 'list.push({ i, x }); x = (x + list.length) | 0; if (list.length > 99) list = [];',
};

// textOf returns the source of a function and of its helper, 14 lines, and where in it which lines are.
// The function's two parameters are the turns of its own loop and of its helper's; below zero it reports its stack to
// the bench instead. Each reads the clock itself: what has to wait at a call is in no interval. bench is the name of a
// variable or parameter that the code can see.
function textOf(name, helper, kind = 'plain') {
  const body = bodies[kind];
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

module.exports = { textOf };
