'use strict';

// What a minifier has made of one function that calls another, and reads the clock before and after that, with its
// source map. The map is written here, and no reader of maps is asked, so the places that a profile must show are known
// for sure.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// encode writes a variable-length quantity. (ECMA-426, "Base64 VLQ")
function encode(n) {
  let rest = n < 0 ? (-n << 1) | 1 : n << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest ? digit | 32 : digit];
  } while (rest);
  return text;
}

// pieces are the generated text, piece by piece, each with its line and column in the source, from 0 and from the first
// line of the two functions, and with the number of its name there.
const pieces = [
  ['function ', 0, 0], ['e', 0, 9, 0], ['(t){', 0, 20], ['let n=1;', 1, 2],
  ['for(let r=0;r<t;r++)', 2, 2], ['n=Math.imul(n,1664525)+r|0;', 3, 4], ['return n}', 4, 2],
  ['function ', 7, 0], ['o', 7, 9, 1], ['(t,w){', 7, 20], ['w.start=w.now();', 8, 2],
  ['w.x=', 9, 2], ['e', 9, 8, 0], ['(t);', 9, 20], ['w.end=w.now()}', 10, 2],
];

// segments are the mappings of one line of generated text, which begins in a column, to a source from a line on.
function segments(column, first) {
  const last = [0, 0, 0, 0, 0]; // generated column, source, line, column, name
  return pieces.map(([piece, line, at, name]) => {
    const place = [column, 0, first - 1 + line, at, ...(name === undefined ? [] : [name])];
    column += piece.length;
    const text = place.map((n, of) => encode(n - last[of])).join('');
    place.forEach((n, of) => { last[of] = n; });
    return text;
  }).join(',');
}

// script makes the text of two functions, of names of their own, which a source has from a line on. In the text they
// stand behind a head, from the start of which the map counts.
function script(name, source, first, head = '') {
  const lines = head.split('\n');
  const names = [`spin_${name}`, `call_${name}`];
  const mappings = ';'.repeat(lines.length - 1) + segments(lines[lines.length - 1].length, first);
  return {
    text: head + pieces.map(([piece]) => piece).join(''),
    map: { version: 3, sources: [source], names, mappings },
    frames: [
      { function: names[0], file: source, first, last: first + 5 },
      { function: names[1], file: source, line: first + 9, column: 9 },
    ],
  };
}

// comment names a map: by the path of its file, or with all of it.
function comment(map) {
  if (typeof map === 'string') return `\n//# sourceMappingURL=${map}\n`;
  const text = Buffer.from(JSON.stringify(map)).toString('base64');
  return `\n//# sourceMappingURL=data:application/json;base64,${text}\n`;
}

module.exports = { script, comment };
