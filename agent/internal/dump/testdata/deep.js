'use strict';

// A program that waits for its input in 900 functions, each with code of its own.

globalThis.readInput = () => require('fs').readSync(0, Buffer.alloc(1));
const lines = ['function deep900() { return readInput(); }'];
for (let i = 0; i < 900; i++) lines.push(`function deep${i}() { return deep${i + 1}(); }`);
(0, eval)(lines.join('\n'));
process.stderr.write('ready\n');
globalThis.deep0();
