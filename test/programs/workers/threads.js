'use strict';

const fs = require('node:fs');

const tasks = '/proc/self/task';

// cpuTimes maps each thread's id to the nanoseconds that it has run on a processor.
function cpuTimes() {
  const ids = fs.readdirSync(tasks).map(Number).sort((a, b) => a - b);
  return new Map(ids.map((tid) => [tid, cpuTime(tid)]));
}

function cpuTime(tid) {
  try {
    return Number(fs.readFileSync(`${tasks}/${tid}/schedstat`, 'utf8').split(' ')[0]);
  } catch (err) {
    if (err.code === 'ENOENT') return 0;
    throw err;
  }
}

// threadLines yields a line for every thread that there is now. before is what cpuTimes gave at the start; logs are
// those of the threads that have names.
function* threadLines(before, logs) {
  for (const [tid, time] of cpuTimes()) {
    const name = logs.find((log) => log.tid === tid)?.name ?? '';
    const comm = fs.readFileSync(`${tasks}/${tid}/comm`, 'utf8').trim();
    yield JSON.stringify({ kind: 'thread', tid, name, comm, cpu: time - (before.get(tid) ?? 0) }) + '\n';
  }
}

module.exports = { cpuTimes, threadLines };
