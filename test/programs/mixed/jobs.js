'use strict';

const { now } = require('../lib/clock');
const { Intervals } = require('../lib/intervals');

const parts = ['crypto', 'zlib', 'text', 'wasm', 'memory', 'functions', 'pool']
  .map((name) => [name, require(`./jobs/${name}`)]);

// times calls fn n times and returns what the last call did.
function times(fn, n) {
  for (; n > 1; n--) fn();
  return fn();
}

// Jobs is the jobs whose names begin with a prefix, and the log of when they ran. A job's name is that of its part and
// of its function, crypto.hash; what it returns is worth nothing but must be a number or a promise of one.
class Jobs {
  constructor(prefix, capacity) {
    this.list = [];
    for (const [part, jobs] of parts) {
      for (const [name, fn] of Object.entries(jobs)) {
        if (!`${part}.${name}`.startsWith(prefix)) continue;
        this.list.push({ name, fn, times: 1, file: require.resolve(`./jobs/${part}`) });
      }
    }
    if (this.list.length === 0) throw new Error(`JOBS: none begins with ${prefix}`);
    this.intervals = new Intervals(capacity, { stack: Int32Array });
  }

  // run runs a job, one that is quick as often as it takes to fill a millisecond. What a job does after it has returned
  // a promise is in no interval.
  async run(i) {
    const job = this.list[i];
    const start = now();
    const result = times(job.fn, job.times);
    const end = now();
    const row = this.intervals.add(start, end);
    if (row >= 0) this.intervals.columns.stack[row] = i;
    if (typeof result === 'number') {
      const fitting = Math.round((job.times * 1e6) / Number(end - start));
      job.times = Math.max(1, Math.min(job.times * 2, fitting));
    }
    return result;
  }

  *lines() {
    for (const [id, job] of this.list.entries()) {
      const frames = [{ function: job.name, file: job.file, first: 1, last: 1 << 20 }];
      yield JSON.stringify({ kind: 'stack', id, frames }) + '\n';
    }
    yield* this.intervals.lines((row) => ({ stack: this.intervals.columns.stack[row] }));
  }
}

module.exports = { Jobs };
