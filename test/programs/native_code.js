'use strict';

// Burns CPU in code of files: in a function of an add-on, in a builtin of V8 that looks for a number in an array, and
// in a hash of OpenSSL.
//
//   ADDON=FILE STOP=FILE node native_code.js [FILE]
//
//   ADDON  an add-on with a function divide, which is called with a number
//   STOP   a file: burn until it exists
//
// It prints "ready PID" on stderr when it starts, and writes JSON lines to FILE or stdout at the end, with a header and
// the clock only.

const { createHash } = require('node:crypto');
const { stopped } = require('./lib/env');
const { ready, write } = require('./lib/output');

const { divide } = require(process.env.ADDON);
const doubles = []; // without holes, on each version
for (let i = 0; i < 4000; i++) doubles.push(i + 0.5);
const bytes = Buffer.alloc(1 << 16, 'x');

let sum = 0;
ready();
while (!stopped()) {
  for (let n = 0; n < 10; n++) {
    sum += divide(100000);
    for (let i = 0; i < 100; i++) sum += doubles.indexOf(-i);
    for (let i = 0; i < 4; i++) sum += createHash('sha256').update(bytes).digest()[0];
  }
}
write({}, [], []);
