// A module that dies in hold, which has a function of the module as its first argument. TRUTH, a file, gets what
// util.inspect makes of the variables of the module; null: it is not read.
//
//   node --abort-on-uncaught-exception module.mjs TRUTH

import { writeFileSync } from 'fs';
import { inspect } from 'util';
import * as path from 'path';

let count = 0;
const seen = new Map([['a', 1]]);
export const exported = 1; // is not in the module's context
const list = [path, 2];

function used() { return [count++, seen, exported, path, list]; }

function hold(value, rest) {
  if (rest) throw new Error('nobody catches this');
}

for (let i = 0; i < 3; i++) used();
setTimeout(() => {
  writeFileSync(process.argv[2], JSON.stringify([{ count: inspect(count), seen: inspect(seen), path: null, list: null }]));
  hold(used, 'die');
}, 1);
