'use strict';

// A fixed amount of work in requests, each in a context of its own, one to a turn of the event loop.
//
//   node contexts.js WAY UNITS CLOCK SOCKET
//
//   WAY     none: no contexts and no profile. contexts: of the package hotspan. hotspan: these, and a profile of the
//           agent at SOCKET. datadog: contexts of @datadog/pprof, and its profile in the process
//   UNITS   requests
//   CLOCK   cpuclock.c, built
//
// NODE_PATH has both packages. A profile is at 1,000 Hz, with a snapshot each second. It prints a line of JSON: the CPU
// time of the process, and of the main thread in its longest turn, in nanoseconds, and how many samples (of
// @datadog/pprof: stacks) the last snapshot has.

const [way, units, clock, socket] = process.argv.slice(2);
const cpu = require(clock);
const ways = {
  none: async () => ({ run: (context, f) => f(), snapshot: () => {}, count: () => 0 }),
  contexts: async () => ({ run: require('hotspan').runWithContext, snapshot: () => {}, count: () => 0 }),
  hotspan,
  datadog,
};

async function hotspan() {
  const { runWithContext, startProfile } = require('hotspan');
  const session = await startProfile({ frequency: 1000, socket });
  let profile;
  const snapshot = async () => { profile = await session.snapshot(); };
  return { run: runWithContext, snapshot, count: () => [...profile.samples()].length };
}

async function datadog() {
  const { time } = require('@datadog/pprof');
  time.start({ durationMillis: 60000, intervalMicros: 1000, withContexts: true, useCPED: true });
  const labels = ({ context }) => ({ ...context?.context?.labels });
  let profile;
  const snapshot = () => { profile = time.stop(true, labels); };
  return { run: time.runWithContext, snapshot, count: () => profile.sample.length };
}

const value = (i) => ({
  traceId: (i + 0x1000000).toString(16).padStart(32, '0'),
  spanId: (i + 0x1000000).toString(16).padStart(16, '0'),
  route: `/orders/:id/${i & 15}`,
  labels: { tenant: `tenant${i & 15}`, n: String(i) },
});

async function request() {
  let n = 0;
  for (let i = 0; i < 8; i++) {
    n += step(i);
    await null;
  }
  return n;
}

function step(seed) {
  let n = seed;
  for (let i = 0; i < 10; i++) {
    n += JSON.parse(JSON.stringify({ n, list: [1, 2, 3], text: 'a text of some length' })).list.length;
    for (let k = 0; k < 4000; k++) n = (Math.imul(n, 1664525) + k) | 0;
  }
  return n;
}

const turn = () => new Promise(setImmediate);

async function main() {
  const { run, snapshot, count } = await ways[way]();
  for (let i = 0; i < units / 10; i++) {
    if (i % 200 === 0) await snapshot(); // its code is hot before it counts
    await run(value(i), request).then(turn);
  }
  const timer = setInterval(snapshot, 1000);
  const begin = process.cpuUsage();
  let longest = 0;
  let before = cpu();
  for (let i = 0; i < units; i++) {
    await run(value(i), request).then(turn);
    const now = cpu();
    longest = Math.max(longest, now - before);
    before = now;
  }
  const { user, system } = process.cpuUsage(begin);
  clearInterval(timer);
  await snapshot();
  console.log(JSON.stringify({ cpu: (user + system) * 1000, longest, samples: count() }));
  process.exit();
}

main();
