#!/usr/bin/env node
'use strict';

// npx hotspan: runs the profiler, which is one static binary.

const { spawn } = require('node:child_process');

let command;
try {
  command = require.resolve('@hotspan/cli-linux-x64/bin/hotspan');
} catch {
  const here = process.platform === 'linux' && process.arch === 'x64';
  console.error('hotspan: the package @hotspan/cli-linux-x64 is not installed: ' +
    (here ? 'npm leaves it out with --omit=optional' : 'the profiler runs on Linux on x64 only'));
  process.exit(1);
}
const child = spawn(command, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends its signals to both; what is sent to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (err) => {
  console.error(`hotspan: ${err.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
