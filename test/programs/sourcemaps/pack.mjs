// Packs CommonJS modules into one line of one file, with an indexed source map of a section for each, as some bundlers
// for mobile and development servers do.
//
//   node pack.mjs FROM TO ENTRY [MODULE]...

import fs from 'node:fs';

const [from, to, ...names] = process.argv.slice(2);
let text = "const modules={},load=(name)=>modules[name].exports" +
  "??(modules[name](modules[name].exports={}),modules[name].exports);";
const sections = [];
for (const name of names) {
  const code = fs.readFileSync(`${from}/${name}.js`, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n$/, '');
  if (code.trimEnd().includes('\n')) throw new Error(`${name}: more than one line`);
  text += `modules["./${name}"]=(exports,require=load,module=modules["./${name}"])=>{`;
  const map = JSON.parse(fs.readFileSync(`${from}/${name}.js.map`, 'utf8'));
  sections.push({ offset: { line: 0, column: text.length }, map });
  text += `${code.trimEnd()}};`;
}
text += `module.exports=load("./${names[0]}");\n//# sourceMappingURL=index.js.map\n`;
fs.mkdirSync(to, { recursive: true });
fs.writeFileSync(`${to}/index.js`, text);
fs.writeFileSync(`${to}/index.js.map`, JSON.stringify({ version: 3, file: 'index.js', sections }));
