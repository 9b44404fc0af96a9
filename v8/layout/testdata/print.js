'use strict';
// Has V8 print objects of known make with its own printer, to the file that is standard output and the first argument.
// Then writes what was printed of each, as one line of JSON to standard error, and lives until standard input ends.
const fs = require('fs');
const vm = require('vm');

const out = process.argv[2];
const texts = {};
let from = 0;

function keep(label, print, arg) {
  print(arg);
  const all = fs.readFileSync(out, 'latin1');
  texts[label] = all.slice(from);
  from = all.length;
  return texts[label];
}
const show = (label, value) => keep(label, (v) => { %DebugPrint(v); }, value);

// follow prints the object whose address the pattern finds in an earlier text.
function follow(label, text, pattern) {
  const m = new RegExp(pattern + '(0x[0-9a-f]+)').exec(text);
  if (!m) throw new Error(`${label}: no ${pattern} in ${text}`);
  return keep(label, (a) => { %DebugPrintPtr(a); }, Number(BigInt(m[1])));
}

const source = 'function outer(a, b) { function inner(x) { return x + a + b; } return inner; }\n' +
  'const got = outer(1, 2); got(1); got;\n//# sourceURL=url.js\n//# sourceMappingURL=map.json';
const inner = new vm.Script(source, { filename: 'name.js', lineOffset: 7, columnOffset: 3 }).runInThisContext();
// Other text each time: functions of one text share their code.
const make = (start) => Function('n', `let s = ${start}; for (let i = 0; i < n; i++) s += i; return s;`);
const [baseline, maglev, turbofan] = [make(0), make(1), make(2)];
for (const f of [baseline, maglev, turbofan]) { %PrepareFunctionForOptimization(f); f(10); f(10); }
%CompileBaseline(baseline);
try {
  new Function('f', '%OptimizeMaglevOnNextCall(f)')(maglev);
} catch { /* this V8 knows no Maglev */ }
%OptimizeFunctionOnNextCall(turbofan);
for (const f of [baseline, maglev, turbofan]) f(10);
const re = /(\d+)-(a|b)*x/;
for (let i = 0; i < 3000; i++) re.exec('12-abx' + i);
const object = {};
for (let i = 0; i < 12; i++) object['p' + i] = i;
new WeakMap().set(object, 1); // gives it an identity hash
const symbol = Symbol('hello');
const map = new Map([[1, 2]]);
const array = [1, 2, 3];
gc(); // what is old does not move
gc();

const fn = show('function', inner);
follow('map', fn, ' - map: ');
const sfi = follow('shared', fn, ' - shared_info: ');
const script = follow('script', sfi, ' - script: ');
follow('infos', script, ' - (?:infos|shared function infos): ');
const scope = follow('scope', sfi, ' - scope info: ');
follow('outer scope', scope, ' - outer scope info: ');
follow('bytecode', fn, ' - bytecode: ');
follow('baseline', show('', baseline), ' - code: ');
follow('maglev', show('', maglev), ' - code: ');
follow('turbofan', show('', turbofan), ' - code: ');
let data = follow('', show('', re), ' - data: ');
if (data.includes('<CodeWrapper')) data = follow('', data, '(?=0x[0-9a-f]+ <CodeWrapper)').replace(' code: ', ' latin1_code: ');
follow('regexp', data, '(?: latin1_code: | 3: (?=.*<Code REGEXP>))'); // until V8 12 the data is a FixedArray
show('object', object);
show('js map', map);
show('symbol', symbol);
show('array', array);
delete texts[''];
fs.writeSync(2, JSON.stringify(texts) + '\n');
process.stdin.resume();
