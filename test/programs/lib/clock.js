'use strict';

// now is CLOCK_MONOTONIC in nanoseconds (a BigInt), the clock of bpf_ktime_get_ns.
const now = process.hrtime.bigint;

// clockPair reads the monotonic and the wall clock at the same instant. Date.now() has milliseconds only, so each try
// waits for it to tick; whatever interrupts a try makes the monotonic reading late, so the earliest is the best.
// Both are BigInts in nanoseconds.
function clockPair() {
  let best = tick();
  for (let i = 0; i < 20; i++) {
    const next = tick();
    if (next.mono - next.unix < best.mono - best.unix) best = next;
  }
  return best;
}

function tick() {
  const before = Date.now();
  let wall = before;
  while (wall === before) wall = Date.now();
  return { mono: now(), unix: BigInt(wall) * 1000000n };
}

// cpuTime is how long the process has used CPUs, in milliseconds.
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

module.exports = { now, clockPair, cpuTime };
