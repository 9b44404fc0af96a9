'use strict';

const vm = require('node:vm');
const { textOf } = require('./text');
const { isOurs, place } = require('./static');

// Four ways in which new code comes to be. Each returns the function, and the number of lines before its text.
const ways = [
  function byEval(text, name, bench) {
    return { call: (0, eval)(`(function (bench) {\n${text}return ${name}; })`)(bench), before: 1 };
  },
  function byNamedEval(text, name, bench) {
    const source = `(function (bench) {\n${text}return ${name}; })\n//# sourceURL=${name}.eval.js`;
    return { call: (0, eval)(source)(bench), before: 1 };
  },
  function byFunction(text, name, bench) {
    return { call: new Function('bench', `${text}return ${name};`)(bench), before: 2 };
  },
  function byScript(text, name, bench) {
    const source = `(function (bench) {\n${text}return ${name}; })`;
    return { call: new vm.Script(source, { filename: `${name}.vm.js` }).runInThisContext()(bench), before: 1 };
  },
];

// maker returns a function that makes the function number i, new code under a new name. Some of it allocates, so
// that not all machine code has the same size.
function maker(bench, below) {
  return function make(i) {
    const name = `churn_${String(i).padStart(6, '0')}`;
    const helper = `fresh_${String(i).padStart(6, '0')}`;
    const part = textOf(name, helper, below(4) === 0 ? 'alloc' : 'plain');
    const { call, before } = ways[below(ways.length)](part.text, name, bench);
    const wanted = (file) => isOurs(file) || file === '' || file.startsWith(name);
    return bench.learn(place(call, part, before, wanted));
  };
}

module.exports = { maker };
