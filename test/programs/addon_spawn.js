'use strict';

// Takes a profile of itself by an agent that it starts: startProfile({spawn: true}). It says how many samples had the
// value of the context that it ran in, or what went wrong. With KEEP it then stays in a second profile, and says the
// pid of its agent.
//
//   HOTSPAN=… [KEEP=1] node addon_spawn.js

const { execFileSync } = require('node:child_process');
const { burnNumbers } = require('./lib/burn');

const { startProfile, runWithContext } = require(process.env.HOTSPAN);
const options = { spawn: true, frequency: 997, socket: '/nonexistent/agent.sock' };
const children = () => execFileSync('cat', [`/proc/${process.pid}/task/${process.pid}/children`], { encoding: 'utf8' });

async function main() {
  const value = {};
  const session = await startProfile(options);
  runWithContext(value, burnNumbers, 300); // it learns
  await session.snapshot();
  runWithContext(value, burnNumbers, 400);
  const { length } = [...(await session.stopAndCapture()).samples()].filter((s) => s.context === value);
  console.log(length);
  if (!process.env.KEEP) return;
  await startProfile(options);
  console.log(children().trim().split(' ')[0]);
  setInterval(() => {}, 1000);
}

main().catch((err) => {
  console.log(err.message);
});
