'use strict';

// The ways in which scripts come with a source map. Each function loads one of a thread, and returns the frames that
// calls of its run(n, watch) have.

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { pathToFileURL } = require('node:url');
const { script, comment } = require('./script');

const exported = 'module.exports=o;';

// write makes a file in a folder, and returns its path.
function write(folder, name, text) {
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

const kinds = {
  // A map in a file of its own, found by the relative path in the comment.
  external({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/external.ts`, first, '"use strict";');
    write(folder, 'external.js.map', JSON.stringify(map));
    return { run: require(write(folder, 'external.js', text + exported + comment('external.js.map'))), frames };
  },

  inline({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/inline.ts`, first, '\n\n\n');
    return { run: require(write(folder, 'inline.js', text + exported + comment(map))), frames };
  },

  // An indexed map, of which the second section has the functions.
  sections({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/sections.ts`, first);
    const other = script(`other${name}`, `${folder}/other.ts`, first);
    const whole = `const x=()=>{${other.text}};${text}${exported}`;
    const sections = [
      { offset: { line: 0, column: 13 }, map: other.map },
      { offset: { line: 0, column: other.text.length + 15 }, map },
    ];
    write(folder, 'sections.js.map', JSON.stringify({ version: 3, sections }));
    return { run: require(write(folder, 'sections.js', whole + comment('sections.js.map'))), frames };
  },

  // A map of lines, as of webpack's cheap-source-map, whose lines a minifier has made one: it leads nowhere.
  lines({ folder, name, first }) {
    const { text, map, frames: [spin, call] } = script(name, `${folder}/lines.ts`, first);
    Object.assign(map, { sources: [`${folder}/runtime.js`, ...map.sources], names: [], mappings: 'AACA' });
    write(folder, 'lines.js.map', JSON.stringify(map));
    const file = write(folder, 'lines.js', text + exported + comment('lines.js.map'));
    Object.assign(spin, { function: 'e', file, first: 1, last: 1 });
    Object.assign(call, { function: 'o', file, line: 1, column: text.indexOf('e(t);') + 1 });
    return { run: require(file), frames: [spin, call] };
  },

  async module({ folder, name, first }) {
    const { text, map, frames } = script(name, 'module.ts', first, '// A comment.\n');
    frames.forEach((frame) => { frame.file = `${folder}/module.ts`; });
    write(folder, 'module.mjs.map', JSON.stringify(map));
    const file = write(folder, 'module.mjs', `${text}export{o};${comment('module.mjs.map')}`);
    return { run: (await import(pathToFileURL(file))).o, frames };
  },

  // A module that is loaded once more from the same file, which has another text by now, as by a hot reload.
  async again({ shared, name, first, version }) {
    const { text, map, frames } = script(name, `${shared}/again.ts`, first);
    const file = write(shared, 'again.mjs', `${text}export{o};${comment(map)}`);
    return { run: (await import(`${pathToFileURL(file)}?version=${version}`)).o, frames };
  },

  reload({ shared, name, first }) {
    const { text, map, frames } = script(name, `${shared}/reload.ts`, first);
    const file = write(shared, 'reload.js', text + exported + comment(map));
    delete require.cache[file];
    return { run: require(file), frames };
  },

  // What a loader has made of a file, in which there is another text, as ts-node and tsx do it.
  compiled({ folder, name, first }) {
    const { text, map, frames } = script(name, 'compiled.ts', first, '"use strict";\n');
    const file = write(folder, 'compiled.ts', 'a text in TypeScript\n');
    frames.forEach((frame) => { frame.file = file; });
    const made = new Module(file);
    made._compile(text + exported + comment(map), file);
    return { run: made.exports, frames };
  },

  // A part of a larger file, as of a page.
  part({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/part.ts`, first, '(()=>{');
    const options = { filename: `${folder}/part.html`, lineOffset: 7, columnOffset: 30 };
    return { run: new vm.Script(`${text};return o})()${comment(map)}`, options).runInThisContext(), frames };
  },

  // A text that is wrapped in another one, which the places that V8 reports do not count, as vite-node does it.
  wrapped({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/wrapped.ts`, first);
    const head = '"use strict";async(module,exports)=>{{';
    const options = { filename: `${folder}/wrapped.js`, columnOffset: -head.length };
    const module = {};
    vm.runInThisContext(`${head}${text};${exported}${comment(map)}}}`, options)(module);
    return { run: module.exports, frames };
  },

  // The same, with a head of whole lines.
  below({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/below.ts`, first, 'let x;\n');
    const options = { filename: `${folder}/below.js`, lineOffset: -2 };
    const module = {};
    vm.runInThisContext(`(module=>{\n\n${text};${exported}${comment(map)}})`, options)(module);
    return { run: module.exports, frames };
  },

  // The body of a function, as Node.js itself compiles CommonJS modules.
  body({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/body.ts`, first);
    const filename = `${folder}/body.js`;
    return { run: vm.compileFunction(`${text};return o${comment(map)}`, ['a', 'b'], { filename })(), frames };
  },

  // A module that is a URL itself, and so in no folder.
  async data({ name, first }) {
    const { text, map, frames } = script(name, `src/${name}.ts`, first);
    const url = `data:text/javascript,${encodeURIComponent(`${text};export{o};${comment(map)}`)}`;
    return { run: (await import(url)).o, frames };
  },

  // Each module in a call of eval, as bundlers for development do it.
  evaluated({ folder, name, first }) {
    const { text, map, frames } = script(name, `${folder}/evaluated.ts`, first, '(()=>{');
    frames.forEach((frame) => { frame.file = `app://${frame.file}`; });
    const run = (0, eval)(`${text};return o})()${comment(map)}//# sourceURL=app:///${name}.js\n`);
    return { run, frames };
  },
};

module.exports = { kinds };
