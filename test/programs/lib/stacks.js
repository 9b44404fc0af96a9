'use strict';

// here returns the frames of the caller and of those that called it, as far as they lie in files or evaluated code
// named by wanted(file): what new Error().stack says of them, in numbers. Leaf first.
function here(wanted) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  Error.prepareStackTrace = (_, sites) => sites;
  const holder = {};
  Error.captureStackTrace(holder, here);
  const sites = holder.stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return sites.map(frameOf).filter((frame) => wanted(frame.file));
}

function frameOf(site) {
  return {
    function: site.getFunctionName() || '',
    file: site.getScriptNameOrSourceURL() || '',
    line: site.getLineNumber(),
    column: site.getColumnNumber(),
  };
}

// Stacks numbers the stacks that a program may be in. The leaf frame is known by its first and last line only, since
// the point of execution moves within it; the others are at their call sites.
class Stacks {
  constructor(firstNumber = 0) {
    this.firstNumber = firstNumber;
    this.list = [];
  }

  add(frames, first, last) {
    const [leaf, ...callers] = frames;
    if (leaf.line < first || leaf.line > last) {
      throw new Error(`${leaf.function}: line ${leaf.line} of ${first}-${last}`);
    }
    this.list.push([{ function: leaf.function, file: leaf.file, first, last }, ...callers]);
    return this.firstNumber + this.list.length - 1;
  }

  *lines() {
    for (const [i, frames] of this.list.entries()) {
      yield JSON.stringify({ kind: 'stack', id: this.firstNumber + i, frames }) + '\n';
    }
  }
}

module.exports = { here, Stacks };
