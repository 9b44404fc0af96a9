'use strict';

// Makes and changes contexts, and prints how many records the package has dropped.
// node no_memory.js PACKAGE

const { counters, enterWithContext, setLabel } = require(process.argv[2]);

const kept = [];
for (let i = 0; i < 12; i++) {
  kept.push({ labels: { a: i } });
  enterWithContext(kept[i]);
  setLabel('b', i);
  setLabel('b', -i);
}
console.log(counters.dropped);
