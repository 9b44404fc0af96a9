'use strict';

// Runs JavaScript, and code that the add-on jitted.c makes: node jitted.js ADDON FOLDER. The add-on begins a second
// after this program, in a worker, so that hotspan is there first.

const { Worker, isMainThread } = require('worker_threads');

const [addon, folder] = process.argv.slice(2);

function spin(ms) {
  let n = 0;
  for (const until = Date.now() + ms; Date.now() < until;) for (let i = 0; i < 1e5; i++) n = (n * 31 + i) | 0;
  return n;
}

function loop() {
  spin(100);
  setTimeout(loop, 100);
}

if (isMainThread) {
  loop();
  setTimeout(() => new Worker(__filename, { argv: [addon, folder] }), 2000);
  process.stderr.write(`ready ${process.pid}\n`);
} else {
  require(addon)(folder, 'little', 120000);
}
