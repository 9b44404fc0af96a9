'use strict';

// A hostile program, for hotspan to profile. Until its standard input is closed it runs copies of itself, each for a
// random time, from an executable file that is not there any more: its path is a FIFO, or a link to a device, to a file
// that only root may read, or to nothing. Strings have escape sequences, source maps are files that are none, stores
// refer to themselves. HOSTILE_LIBRARY is preloaded: testdata/hostile.c.
//
//   HOSTILE_NODES  executables, with commas between them
//   HOSTILE_SECRET a file that only root may read

const { AsyncLocalStorage } = require('node:async_hooks');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { Worker, isMainThread } = require('node:worker_threads');

const { HOSTILE_DIR: dir, HOSTILE_NODES: nodes, HOSTILE_SECRET: secret, HOSTILE_LIBRARY: library } = process.env;
const escapes = '\x1b]0;title\x07\x1b[2J\r\n\x9b31m\u202e';
const random = (n) => Math.floor(Math.random() * n);

const replace = [
  (file) => execFileSync('mkfifo', ['-m', '666', file]),
  (file) => fs.symlinkSync('/dev/zero', file),
  (file) => fs.symlinkSync(secret, file),
  (file) => fs.symlinkSync(`/proc/self/root${file}`, file),
  () => {},
];

function start(number) {
  const all = nodes.split(',');
  const file = path.join(dir, `node-${number}`);
  fs.linkSync(all[number % all.length], file);
  const child = spawn(file, [__filename, 'child'], {
    env: { ...process.env, LD_PRELOAD: library }, stdio: 'ignore', argv0: `node ${escapes}`,
  });
  child.once('spawn', () => {
    fs.unlinkSync(file);
    replace[number % replace.length](file);
    setTimeout(() => child.kill('SIGKILL'), 1000 + random(6000));
  });
  child.once('error', () => {});
  child.once('close', () => setTimeout(start, random(300), number + 2));
}

// A comment, which names a source map, ends where the line does.
const maps = [secret, '/proc/kmsg', '/dev/zero', '/proc/self/mem', `${dir}/fifo`,
  `data:application/json,${escapes.replace(/[\r\n]/g, '')}`];

function functions() {
  const burn = 'const end = performance.now() + 2; while (performance.now() < end);';
  return maps.map((map, i) => vm.runInThisContext(
    `({ ${JSON.stringify(`f${i}${escapes}`)}() { ${burn} } })\n//# sourceMappingURL=${map}`,
    { filename: `${dir}/${escapes}/${i}.js` })[`f${i}${escapes}`]);
}

function store() {
  const s = new Map();
  s.self = s;
  s.tenant = escapes.repeat(1 + random(100));
  s.set(s, s).set('tenant', s.tenant);
  for (let i = 0; i < random(2000); i++) s[`p${random(1e6)}`] = s;
  return Object.setPrototypeOf(s, new Proxy(s, {}));
}

function child() {
  const requests = new AsyncLocalStorage();
  const all = functions();
  process.title = escapes;
  if (isMainThread) new Worker(__filename, { argv: ['child'], name: escapes });
  setInterval(() => requests.run(store(), all[random(all.length)]), 20);
}

if (process.argv[2] === 'child' || !isMainThread) {
  child();
} else {
  process.stdin.resume().once('close', () => process.kill(0, 'SIGKILL')); // all are in its process group
  execFileSync('mkfifo', ['-m', '666', `${dir}/fifo`]);
  start(0);
  start(1);
}
