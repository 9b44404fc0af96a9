'use strict';

const { again, begin, frames, going } = require('./meter');
const { assemble } = require('./assemble');

let told = [];
let report = tell;

function tell() {
  told = frames(imported);
}

function burn() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

function imported() {
  report();
  return 0;
}

const load = (bytes) => new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { report: imported } }).exports;
const named = load(assemble('kinds', { 1: 'inner', 2: 'middle::<T>', 3: 'outer', 5: 'through a table', 6: '函数' }));
const nameless = load(assemble('', {}));

// chain calls an export again and again from the same place: first to have it tell its stack, then to burn, some
// times in turn.
const chain = (exported, times = 1) => () => {
  let ask = true;
  let more = true;
  do {
    for (let i = ask ? 1 : times; i > 0; i--) exported(ask ? -1 : 200000 / times);
    if (ask) again(told);
    else more = going(1);
    ask = false;
  } while (more);
};

function calledBack() {
  report = burn;
  named.outer(-1);
  report = tell;
}

module.exports = {
  wasm: chain(named.outer), wasmWithoutName: chain(named.unnamed), wasmIndirect: chain(named.indirect),
  wasmTwoBytes: chain(named.wide), wasmNameless: chain(nameless.outer),
  wasmToJS: calledBack, wasmOften: chain(named.outer, 100),
};
