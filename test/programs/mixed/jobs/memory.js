'use strict';

const v8 = require('node:v8');

const kept = new Array(50).fill(null);
let next = 0;
const block = Buffer.alloc(100000, 'some bytes');

module.exports = {
  objects() {
    const list = [];
    for (let i = 0; i < 5000; i++) list.push({ i, text: `object ${i}`, next: list[i - 1] });
    kept[next++ % kept.length] = list; // survives, and is moved
    return list.length;
  },
  maps() {
    const map = new Map(), set = new Set(), weak = new WeakMap();
    for (let i = 0; i < 2000; i++) {
      const key = { i };
      map.set(`key ${i % 500}`, key);
      set.add(i);
      weak.set(key, i);
    }
    return map.size + set.size;
  },
  arrays: () => Array.from({ length: 20000 }, (_, i) => i * 1.5).map((x) => x + 1).filter((x) => x % 2 < 1).length,
  large: () => new Array(200000).fill(1.5).concat([1]).length,
  closures() {
    let f = () => 1;
    for (let i = 0; i < 500; i++) f = ((g, n) => () => n + (n % 50 ? g() : 1))(f, i);
    return f();
  },
  buffers: () => Buffer.concat([block, block]).toString('base64').length +
    block.toString('hex').length + block.indexOf('zz'),
  compare: () => Buffer.compare(block, Buffer.from(block)) + block.toString('utf8').length + block.swap16().length,
  clone: () => v8.deserialize(v8.serialize(
    { list: kept[0]?.slice(0, 300).map(({ i, text }) => ({ i, text })) })).list?.length ?? 0,
  bigints() {
    let x = 3n;
    for (let i = 0; i < 12; i++) x = x * x + 1n;
    return x.toString().length;
  },
};
