'use strict';

// Loops that call builtins of V8, and C++ through them: most have no frame of their own. No callback runs, so that the
// loop is the innermost function.

const { begin, going, matching } = require('./meter');

const list = Array.from({ length: 100 }, (_, i) => i);
const few = [1, 2, 3, 4];
const pairs = new Map([[1, 2], [3, 4], [5, 6]]);
const map = new Map();
const weak = new WeakMap();
const thing = { a: 1, b: 2, c: { d: 4 }, e: 'five' };
const json = JSON.stringify(thing);
const text = 'the quick brown fox jumps over the lazy dog and goes on to do other things';
const big = 123456789012345678901234567890n;
const floats = new Float64Array(512);
const view = new DataView(new ArrayBuffer(64));
const shared = new Int32Array(new SharedArrayBuffer(8));
const shapes = [{ v: 1 }, { y: 1, v: 2 }, { z: 1, v: 3 }, { q: 1, v: 4 }, { w: 1, v: 5 }, { r: 1, v: 6 }];
const keys = ['v', 'y', 'z'];
const d = {};
const queue = [];
const word = /l[a-z]+y/;
const bound = Math.max.bind(null, 4);

module.exports = {
  'Map.set'() { let x = begin(); do for (let i = 2000; i--;) x += map.set(i, i).size; while (going(x)); },
  'Map.get'() { let x = begin(); do for (let i = 2000; i--;) x += map.get(i) | 0; while (going(x)); },
  'Map.has'() { let x = begin(); do for (let i = 2000; i--;) x += map.has('k' + (i & 63)); while (going(x)); },
  'for of'() { let x = begin(); do for (let i = 100; i--;) for (const [k, v] of pairs) x += k + v; while (going(x)); },
  WeakMap() { let x = begin(); do for (let i = 300; i--;) x += weak.set(few, i).get(few); while (going(x)); },
  Set() { let x = begin(); do for (let i = 300; i--;) x += new Set(few).size; while (going(x)); },
  WeakRef() { let x = begin(); do for (let i = 300; i--;) x += new WeakRef(thing).deref().a; while (going(x)); },
  push() { let x = begin(); do for (let i = 500; i--;) x += queue.push(i, i) + queue.pop(); while (going(x)); },
  slice() { let x = begin(); do for (let i = 300; i--;) x += list.slice(3, 9).length; while (going(x)); },
  concat() { let x = begin(); do for (let i = 300; i--;) x += list.concat(few).length; while (going(x)); },
  indexOf() { let x = begin(); do for (let i = 300; i--;) x += list.indexOf(77); while (going(x)); },
  join() { let x = begin(); do for (let i = 300; i--;) x += list.join(',').length; while (going(x)); },
  spread() { let x = begin(); do for (let i = 300; i--;) x += [...list].length; while (going(x)); },
  rest() { let x = begin(); do for (let i = 100; i--;) { const [a, ...r] = few; x += a + r[0]; } while (going(x)); },
  'new Array'() { let x = begin(); do for (let i = 300; i--;) x += new Array(100).fill(0).length; while (going(x)); },
  sort() { let x = begin(); do for (let i = 30; i--;) x += floats.fill(i).sort().length; while (going(x)); },
  subarray() { let x = begin(); do for (let i = 300; i--;) x += floats.subarray(3).length; while (going(x)); },
  DataView() { let x = begin(); do for (let i = 300; i--;) x += view.getFloat64(8); while (going(x)); },
  Atomics() { let x = begin(); do for (let i = 300; i--;) x += Atomics.add(shared, 0, 1); while (going(x)); },
  'String.indexOf'() { let x = begin(); do for (let i = 300; i--;) x += text.indexOf('zz'); while (going(x)); },
  split() { let x = begin(); do for (let i = 300; i--;) x += text.split(' ').length; while (going(x)); },
  toUpperCase() { let x = begin(); do for (let i = 300; i--;) x += text.toUpperCase().length; while (going(x)); },
  template() { let x = begin(); do for (let i = 300; i--;) x += `${i}-${x | 0}`.length; while (going(x)); },
  'number to string'() { let x = begin(); do for (let i = 300; i--;) x += String(i * 1.7).length; while (going(x)); },
  toFixed() { let x = begin(); do for (let i = 300; i--;) x += (i * 1.1).toFixed(2).length; while (going(x)); },
  parseFloat() { let x = begin(); do for (let i = 300; i--;) x += parseFloat(`${i}.5`) | 0; while (going(x)); },
  'string times number'() { let x = begin(); do for (let i = 300; i--;) x += ('5' * i) | 0; while (going(x)); },
  Math() { let x = begin(); do for (let i = 300; i--;) x += Math.pow(i, 2) + Math.sin(i); while (going(x)); },
  BigInt() { let x = begin(); do for (let i = 300; i--;) x += Number((big * BigInt(i)) & 255n); while (going(x)); },
  stringify() { let x = begin(); do for (let i = 300; i--;) x += JSON.stringify(thing).length; while (going(x)); },
  parse() { let x = begin(); do for (let i = 300; i--;) x += JSON.parse(json).a; while (going(x)); },
  keys() { let x = begin(); do for (let i = 300; i--;) x += Object.keys(thing).length; while (going(x)); },
  assign() { let x = begin(); do for (let i = 300; i--;) x += Object.assign({}, thing).a; while (going(x)); },
  'object spread'() { let x = begin(); do for (let i = 300; i--;) x += { ...thing, z: i }.z; while (going(x)); },
  'for in'() { let x = begin(); do for (let i = 100; i--;) for (const k in thing) x += k.length; while (going(x)); },
  omit() { let x = begin(); do for (let i = 100; i--;) { const { a, ...r } = thing; x += a + r.b; } while (going(x)); },
  delete() { let x = begin(); do for (let i = 300; i--;) x += delete d['k' + i] + (d.k9 = i); while (going(x)); },
  megamorphic() { let x = begin(); do for (let i = 300; i--;) x += shapes[i % 6][keys[i % 3]] | 0; while (going(x)); },
  instanceof() { let x = begin(); do for (let i = 300; i--;) x += thing instanceof Object; while (going(x)); },
  Reflect() { let x = begin(); do for (let i = 300; i--;) x += Reflect.get(thing, 'a'); while (going(x)); },
  apply() { let x = begin(); do for (let i = 300; i--;) x += Math.min.apply(null, few); while (going(x)); },
  'bound function'() { let x = begin(); do for (let i = 300; i--;) x += bound(i & 7); while (going(x)); },
  Date() { let x = begin(); do for (let i = 300; i--;) x += new Date(i).getTime(); while (going(x)); },
  'Date.now'() { let x = begin(); do for (let i = 300; i--;) x += Date.now() & 1; while (going(x)); },
  Error() { let x = begin(); do for (let i = 30; i--;) x += new Error('x').message.length; while (going(x)); },
  throw() { let x = begin(); do for (let i = 30; i--;) try { throw few; } catch { x++; } while (going(x)); },
  Symbol() { let x = begin(); do for (let i = 300; i--;) x += Symbol(i).description.length; while (going(x)); },
  encodeURI() { let x = begin(); do for (let i = 100; i--;) x += encodeURI(text).length; while (going(x)); },
  'C++ of Node.js'() { let x = begin(); do for (let i = 300; i--;) x += process.uptime(); while (going(x)); },
  test() { matching(word); let x = begin(); do for (let i = 300; i--;) x += word.test(text); while (going(x)); },
};
