'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { kinds, textOf } = require('./text');

// loadStatic writes count functions into a file of their own, loads it, and removes it when the program ends.
function loadStatic(count, mode, bench) {
  const names = Array.from({ length: count }, (_, i) => String(i).padStart(3, '0'));
  const kind = (i) => (mode === 'kinds' ? kinds[i % kinds.length] : mode === 'churn' ? 'plain' : mode);
  const parts = names.map((n, i) => textOf(`work_${n}`, `help_${n}`, kind(i)));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'functions-'));
  const file = path.join(folder, 'generated.js');
  process.on('exit', () => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(file, source(names, parts));
  const { use, calls } = require(file);
  use(bench);
  const wanted = (name) => name === file || isOurs(name);
  return names.map((_, i) => bench.learn(place(calls[i], parts[i], i * 14 + 1, wanted)));
}

function source(names, parts) {
  const head = "'use strict'; let bench; module.exports.use = (b) => { bench = b; };\n";
  const list = `module.exports.calls = [${names.map((n) => `work_${n}`)}];\n`;
  return head + parts.map((part) => part.text).join('') + list;
}

const folder = path.dirname(__dirname);

function isOurs(file) {
  return file.startsWith(folder);
}

function place(call, part, offset, wanted) {
  const shift = (range) => range.map((line) => line + offset);
  return { call, own: shift(part.own), helper: shift(part.helper), wanted };
}

module.exports = { loadStatic, isOurs, place };
