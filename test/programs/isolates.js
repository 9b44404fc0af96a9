'use strict';

// Runs functions in isolates of their own, one after the other on one thread, by the add-on of which the path is the
// first argument. Function and script have the same numbers in each, texts are as long, and each function is in another
// line, and runs for EACH ms. It waits for the end, and writes JSON lines to OUT: {"name","line","start","end"}, times
// in nanoseconds of Unix time.
//
//   node isolates.js ADDON OUT EACH

const { writeFileSync } = require('node:fs');
const isolates = 16;
const [addon, out, each] = process.argv.slice(2);
const texts = [];
for (let i = 0; i < isolates; i++) {
  const name = `work${10 + i}`;
  const loop = 'while (Date.now() < until) for (let j = 0; j < 1e4; j++);';
  texts.push(`${'\n'.repeat(i)}function ${name}(until) { ${loop} return until; }\n${name}(Date.now() + ${each})` +
    '\n'.repeat(isolates - i));
}
const { run, times } = require(addon);
run(...texts);
const wait = setInterval(() => {
  const all = times();
  if (all.length < 2 * isolates) return;
  clearInterval(wait);
  const line = (_, i) => JSON.stringify({ name: `work${10 + i}`, line: 1 + i, start: all[2 * i], end: all[2 * i + 1] });
  writeFileSync(out, texts.map(line).join('\n') + '\n');
}, 50);
