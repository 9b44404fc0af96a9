'use strict';

const { gunzipSync } = require('node:zlib');
const { LABEL } = require('./held');

// The most that samples take as JSON, in bytes: more is no text that Node.js can have.
const MOST = 2 ** 29;

/** @typedef {{function: string, file?: string, line?: number, column?: number, kind: string, tier?: string}} Frame */

/** A profile: the samples between two snapshots. What they are is read when it is asked for, which takes time. */
class Profile {
  #samples;
  #valueOf;
  #data;

  constructor({ start, end, period, lost }, pprof, samples, valueOf) {
    /** @type {Uint8Array} as go tool pprof reads it */
    this.profile = pprof;
    this.start = BigInt(start);
    this.end = BigInt(end);
    this.period = period;
    this.lost = lost;
    this.#samples = samples;
    this.#valueOf = valueOf;
  }

  #read() {
    if (this.#data) return this.#data;
    const data = JSON.parse(gunzipSync(this.#samples, { maxOutputLength: MOST }).toString());
    data.contexts = data.labels.map((labels) => this.#valueOf(labels[LABEL]));
    for (const labels of data.labels) delete labels[LABEL];
    this.#samples = this.#valueOf = undefined;
    this.#data = data;
    return data;
  }

  /** Each sample, in the order of time. */
  *samples() {
    const { frames, stacks, labels, contexts, threads, samples } = this.#read();
    for (const [after, stack, set, thread, threadId, state] of samples) {
      yield {
        timestamp: this.start + BigInt(after),
        thread: threads[thread],
        threadId,
        state,
        stack: stacks[stack].map((i) => frames[i]),
        labels: labels[set],
        context: contexts[set],
      };
    }
  }

  /** The samples as a tree of calls. Each node has the contexts of the samples that ended there, and their number. */
  tree() {
    const root = node({ function: '(root)', kind: 'marker' });
    for (const sample of this.samples()) {
      let at = root;
      for (const frame of sample.stack.toReversed?.() ?? [...sample.stack].reverse()) at = child(at, frame);
      at.samples++;
      if (sample.context !== undefined) at.contexts.set(sample.context, (at.contexts.get(sample.context) ?? 0) + 1);
    }
    return root;
  }
}

function node(frame) {
  return { frame, samples: 0, contexts: new Map(), children: [] };
}

function child(parent, frame) {
  let found = parent.children.find((c) => c.frame === frame);
  if (!found) parent.children.push((found = node(frame)));
  return found;
}

module.exports = { Profile };
