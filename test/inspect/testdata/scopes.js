// A program that dies with functions on the stack whose variables are in objects, or in very many scopes: each frame of
// hold has one as its first argument, the last one first. TRUTH, a file, gets the variables of their scopes, innermost
// first, in the same order.
//
//   node --abort-on-uncaught-exception scopes.js TRUTH

const { writeFileSync } = require('fs');

const list = [];
const add = (fn, ...scopes) => list.push({ fn, scopes });

with ({ w: 1, text: 't' }) {
  let inner = 7;
  add(() => [w, inner], { inner: '7' }, { with: "{ w: 1, text: 't' }" });
}
const declared = (p) => {
  eval('var late = 9, text = "t"');
  return () => [p, late];
};
add(declared('P'), { p: "'P'", late: '9', text: "'t'" });

const scopes = Array.from({ length: 70 }, (_, i) => i);
add(eval(scopes.map((i) => `((v${i}) => `).join('') + `() => [${scopes.map((i) => `v${i}`)}]` + scopes.map((i) => `)(${i})`).reverse().join('')),
  ...scopes.slice(6).reverse().map((i) => ({ [`v${i}`]: `${i}` })));

function hold(fn, rest) {
  if (rest.length > 0) return hold(rest[0], rest.slice(1)) + 1;
  writeFileSync(process.argv[2], JSON.stringify(list.map((l) => l.scopes).reverse()));
  throw new Error('nobody catches this');
}

hold(list[0].fn, list.slice(1).map((l) => l.fn));
