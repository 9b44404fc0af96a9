'use strict';

const vm = require('node:vm');
const { begin, going } = require('./meter');

const burn = 'let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));';

globalThis.begin = begin;
globalThis.going = going;

function direct() {
  return eval(`(function inDirect() {\n  ${burn}\n})()`);
}

function directTop() {
  return eval(burn);
}

const indirect = () => (0, eval)(`\n(function inIndirect() { ${burn} })()`);

const nested = () => eval('eval("(function inNested() { " + burn + " })()")');

const ofFunction = new Function('a', 'b', `if (a) return 1;\n${burn}`);

const ofAsyncFunction = new (Object.getPrototypeOf(async () => {}).constructor)(`await null;\n${burn}`);

const withURL = (0, eval)(`(function withURL() {\n ${burn} })\n//# sourceURL=kinds/with-url.js`);

const longURL = (0, eval)(`(function longURL() {\n ${burn} })\n//# sourceURL=${'kinds/'.repeat(1000)}long.js`);

const functionWithURL = new Function(`${burn}\n//# sourceURL=webpack:///./src/größe.ts?ab`);

const script = (options) => new vm.Script(`(function ofScript() { ${burn} })`, options).runInThisContext();

const withOffsets = script({ filename: '/nowhere/offsets.js', lineOffset: 7, columnOffset: 30 });

const withoutName = script({});

const inContext = () =>
  vm.runInNewContext(`(function inContext() {\n\n${burn} })()`, { begin, going }, '/nowhere/context.js');

const compiled = vm.compileFunction(`\n${burn}`, ['a'],
  { filename: '/nowhere/compiled.js', lineOffset: 3, columnOffset: 5 });

const wide = vm.runInThisContext(`/* 世界 */ (function 函数() {\r\n${burn} })`, { filename: '/nowhere/世界.js' });

module.exports = {
  direct, directTop, indirect, nested,
  newFunction: () => ofFunction(),
  newAsyncFunction: () => ofAsyncFunction(),
  sourceURL: () => withURL(),
  sourceURLTooLong: () => longURL(),
  sourceURLOfFunction: () => functionWithURL(),
  vmScript: () => withOffsets(),
  vmScriptWithoutName: () => withoutName(),
  vmContext: inContext,
  vmCompileFunction: () => compiled(),
  vmTwoBytes: () => wide(),
};
