// Writes what @jridgewell/trace-mapping says of each position of generated scripts, and of some behind each line's end.
// One JSON line a script:
//
//   {"script","sources":[…],"positions":[[line,column,source,line,column],…],"names":[[line,column,name],…]}
//
// Lines and columns are 1-based. source is an index of "sources"; -1 where the map says nothing. names has each segment
// that has one, at its exact place.
//
//   node positions.mjs SCRIPT...

import fs from 'node:fs';
import path from 'node:path';
import { AnyMap, eachMapping, originalPositionFor } from '@jridgewell/trace-mapping';

for (const script of process.argv.slice(2)) {
  const text = fs.readFileSync(script, 'utf8');
  const url = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)[1];
  const inline = /^data:application\/json;base64,(.*)$/.exec(url);
  const json = inline ? Buffer.from(inline[1], 'base64').toString()
    : fs.readFileSync(path.join(path.dirname(script), url), 'utf8');
  const map = new AnyMap(json, `file:///base/${script}`);
  const sources = [];
  const number = (source) => sources.includes(source) ? sources.indexOf(source) : sources.push(source) - 1;
  const positions = [];
  for (const [i, line] of text.split('\n').entries()) {
    for (let column = 0; column < line.length + 5; column++) {
      const p = originalPositionFor(map, { line: i + 1, column });
      const at = [i + 1, column + 1];
      positions.push(p.source === null ? [...at, -1] : [...at, number(p.source), p.line, p.column + 1]);
    }
  }
  const names = [];
  eachMapping(map, (m) => { if (m.name) names.push([m.generatedLine, m.generatedColumn + 1, m.name]); });
  process.stdout.write(`${JSON.stringify({ script, sources, positions, names })}\n`);
}
