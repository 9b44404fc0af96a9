'use strict';

const { threadID } = require('./thread');

// Intervals keeps rows of [start, end) and some numbers in memory outside the JavaScript heap, all of it allocated
// beforehand: adding a row costs well under a microsecond and gives the collector nothing to do.
// columns maps a name to a typed array class, or to [class, elements a row].
class Intervals {
  constructor(capacity, columns = {}) {
    this.capacity = capacity;
    this.length = 0;
    this.tid = threadID();
    this.starts = new BigInt64Array(capacity);
    this.ends = new BigInt64Array(capacity);
    this.columns = {};
    for (const [name, column] of Object.entries(columns)) {
      const [type, width] = Array.isArray(column) ? column : [column, 1];
      this.columns[name] = new type(capacity * width);
    }
  }

  get full() {
    return this.length >= this.capacity;
  }

  // add returns the number of the new row, or -1 when there is no room.
  add(start, end) {
    const row = this.length;
    if (row >= this.capacity) return -1;
    this.starts[row] = start;
    this.ends[row] = end;
    this.length = row + 1;
    return row;
  }

  // lines yields one JSON line a row; describe(row) gives its further members.
  *lines(describe) {
    for (let row = 0; row < this.length; row++) {
      const rest = JSON.stringify({ tid: this.tid, ...describe(row) }).slice(1);
      yield `{"kind":"interval","start":${this.starts[row]},"end":${this.ends[row]},${rest}\n`;
    }
  }
}

module.exports = { Intervals };
