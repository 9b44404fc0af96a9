'use strict';

const { Intervals } = require('../lib/intervals');
const { tenants } = require('./request');

// Journal keeps which request each stretch of code belonged to. A request's own members are kept once, by number;
// the ids of the active span with every interval.
class Journal {
  constructor(capacity) {
    const columns = { request: Int32Array, ids: [Uint8Array, 24] };
    this.intervals = new Intervals(capacity, columns);
    this.ids = Buffer.from(this.intervals.columns.ids.buffer);
    this.requests = [];
  }

  get full() {
    return this.intervals.full;
  }

  // add writes down that request (or none) ran in [start, end) while the span of the request was active.
  add(start, end, request, span) {
    const row = this.intervals.add(start, end);
    if (row < 0) return;
    this.intervals.columns.request[row] = request ? request.number : -1;
    if (!request) return;
    this.requests[request.number] = request;
    this.ids.write(span.traceId, row * 24, 'hex');
    this.ids.write(span.spanId, row * 24 + 16, 'hex');
  }

  lines() {
    return this.intervals.lines((row) => {
      const number = this.intervals.columns.request[row];
      return number < 0 ? {} : { label: this.label(row, this.requests[number]) };
    });
  }

  label(row, request) {
    const label = {
      request: request.number,
      endpoint: request.endpoint,
      tenant: tenants[request.tenant],
      user: request.user,
      premium: request.premium,
      trace_id: this.ids.toString('hex', row * 24, row * 24 + 16),
      span_id: this.ids.toString('hex', row * 24 + 16, row * 24 + 24),
      method: request.method,
      target: request.target,
      remote: request.remote,
      start: request.start,
      began: request.began,
      shape: request.shape,
    };
    return request.route ? { ...label, route: request.route } : label;
  }
}

module.exports = { Journal };
