'use strict';

const { number } = require('../lib/env');
const { Intervals } = require('../lib/intervals');
const { now } = require('../lib/clock');

const milliseconds = number('MILLISECONDS', 8);
const intervals = new Intervals(10000, { stack: Int32Array });
const stacks = new Map(); // id by text
let kind = '';
let pattern;
let start = 0n;
let deadline = 0;
let stack = 0;

// measure runs a kind, which calls begin and going.
async function measure(name, run) {
  kind = name;
  pattern = undefined;
  const before = intervals.length;
  await run();
  if (intervals.length === before) throw new Error(`${name} did not burn`);
}

// begin notes the stack that its caller is in, and the time. Its caller burns then, on the same line, for as long as
// going says so. Both are given a number and give one, so that no compiler may leave the burning out.
function begin() {
  stack = numberOf(frames(begin));
  deadline = performance.now() + milliseconds;
  start = now();
  return 1;
}

function going(x) {
  if (performance.now() < deadline) return x !== 0.5;
  intervals.add(start, now());
  intervals.columns.stack[intervals.length - 1] = stack;
  return false;
}

// matching says that a regular expression will be run by the caller of begin.
function matching(re) {
  pattern = re.source;
}

// again gives the stack of the caller of begin to a burning that does not call begin itself.
function again(list) {
  stack = numberOf(list);
  deadline = performance.now() + milliseconds;
  start = now();
}

function numberOf(list) {
  const [leaf, ...callers] = list;
  const { line, column, ...rest } = leaf;
  const text = JSON.stringify({ name: kind, pattern, frames: [{ ...rest, first: line, last: line }, ...callers] });
  if (!stacks.has(text)) stacks.set(text, stacks.size);
  return stacks.get(text);
}

// frames is what an Error says of the stack above a function, but for the callers that only wait for it.
function frames(above) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  Error.prepareStackTrace = (_, sites) => sites;
  const holder = {};
  Error.captureStackTrace(holder, above);
  const sites = holder.stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return sites.filter((site) => !site.isAsync()).map(frameOf);
}

function frameOf(site) {
  const file = site.getScriptNameOrSourceURL();
  const frame = {
    function: site.getFunctionName() || (/wasm-function\[\d+\]/.exec(site) || [''])[0], file: file || '',
    line: site.getLineNumber() || 0, column: site.getColumnNumber() || 0,
  };
  if (!file && !site.isEval()) frame.builtin = true;
  if (!file && site.isEval()) frame.origin = site.getEvalOrigin();
  return frame;
}

function* stackLines() {
  for (const [text, id] of stacks) yield `{"kind":"stack","id":${id},${text.slice(1)}\n`;
}

module.exports = {
  measure, begin, going, again, matching, frames, stacks: stackLines,
  intervals: () => intervals.lines((row) => ({ stack: intervals.columns.stack[row] })),
};
