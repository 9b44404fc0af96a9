'use strict';

// A chain of calls that was written in TypeScript (sourcemaps/src) burns CPU in its last function, by turns as five
// tools compiled it: tsc with inline and with external maps, esbuild and terser with short names, and modules that
// are packed into one file with an indexed map.
//
//   node --enable-source-maps sourcemaps.js [FILE]
//
//   DURATION_MS  how long to burn (10000)
//   STOP         a file: burn no longer than until it exists
//
// It prints "ready PID" on stderr, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node"}
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"},{"function","file","line","column"},…]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// The stack is leaf first. Its functions' names are those of the source text, as they stand below; the lines and
// columns of its callers are what Node's own reader of source maps makes of new Error().stack. Node does not read
// indexed maps: for them they are what @jridgewell/trace-mapping says (sourcemaps/positions.mjs).

const fs = require('node:fs');
const path = require('node:path');
const { number, stopped } = require('./lib/env');
const { Intervals } = require('./lib/intervals');
const { ready, write } = require('./lib/output');
const { Stacks } = require('./lib/stacks');

const folder = path.join(__dirname, 'sourcemaps');
const names = ['spinNumbers', 'settle', 'Ledger', 'weighOrder', 'eachOrder', 'priceBasket', 'burst'];
const milliseconds = number('DURATION_MS', 10000);

// original finds what trace-mapping says of a position that Node left as it was.
function original(file, line, column) {
  const script = path.relative(folder, file);
  for (const text of fs.readFileSync(path.join(folder, 'dist/positions.jsonl'), 'utf8').trim().split('\n')) {
    const known = JSON.parse(text);
    if (known.script !== script) continue;
    const [, , source, ...place] = known.positions.find((p) => p[0] === line && p[1] === column);
    return [path.join(folder, known.sources[source].replace('file:///base/', '')), ...place];
  }
  throw new Error(`no positions of ${script}`);
}

// frames reads the stack that a build of the program reports.
function frames({ burst, report }) {
  burst(-1);
  const found = [];
  for (const said of report.stack.split('\n')) {
    const at = /^ +at .*?(?:file:\/\/)?(\/[^()]+):(\d+):(\d+)\)?$/.exec(said);
    if (!at || !at[1].startsWith(folder + '/')) continue;
    const place = [at[1], Number(at[2]), Number(at[3])];
    const [file, line, column] = at[1].includes('/dist/indexed/') ? original(...place) : place;
    if (!file.startsWith(path.join(folder, 'src'))) throw new Error(`${file} is not mapped`);
    found.push({ function: names[found.length], file, line, column });
  }
  if (found.length !== names.length) throw new Error(`${found.length} frames in ${report.stack}`);
  return found;
}

// lines are the first and the last line of the leaf in the source text.
function lines() {
  const text = fs.readFileSync(path.join(folder, 'src/leaf.ts'), 'utf8').split('\n');
  const first = text.findIndex((line) => line.includes('spinNumbers'));
  return [first + 1, text.indexOf('};', first) + 1];
}

// warm lets V8 optimise a build before it is measured.
function warm({ burst }) {
  const deadline = performance.now() + 200;
  while (performance.now() < deadline) burst(2000);
}

// Each interval is one run of the chain's end, of milliseconds.
function measure() {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline && !intervals.full && !stopped()) {
    builds.forEach((build, stack) => {
      build.burst(4e6);
      intervals.columns.stack[intervals.add(build.report.start, build.report.end)] = stack;
    });
  }
}

const builds = ['tsc', 'tsc-inline', 'esbuild', 'terser', 'indexed']
  .map((tool) => require(`./sourcemaps/dist/${tool}/index.js`));
const stacks = new Stacks();
for (const build of builds) stacks.add(frames(build), ...lines());
const intervals = new Intervals(100000, { stack: Uint8Array });
for (const build of builds) warm(build);
ready();
measure();
write({}, stacks.lines(), intervals.lines((row) => ({ stack: intervals.columns.stack[row] })));
