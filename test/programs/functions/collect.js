'use strict';

const v8 = require('node:v8');
const vm = require('node:vm');

// collector returns a function that now and then forces a collection: mostly scavenges, sometimes a full one, which
// frees the code of functions that are gone.
function collector(below) {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc');
  return function collect() {
    const n = below(16);
    if (n < 4) gc({ type: 'minor' });
    if (n === 15) gc();
  };
}

module.exports = { collector };
