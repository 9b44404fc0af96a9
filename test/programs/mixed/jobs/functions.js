'use strict';

// All kinds of function that the language has.

const vm = require('node:vm');
const { EventEmitter } = require('node:events');

class Shape {
  #area = 0;
  static count = 0;
  size = (() => Shape.count++)();

  get area() {
    return this.#grow(1);
  }

  set area(value) {
    this.#area = value;
  }

  #grow(n) {
    for (let i = 0; i < 50; i++) this.#area = (this.#area * 31 + n) | 0;
    return this.#area;
  }
}

class Square extends Shape {
  constructor(side) {
    super();
    this.area = side * side;
  }

  get area() {
    return super.area + 1;
  }

  set area(value) {
    super.area = value;
  }
}

function* numbers(n) {
  for (let i = 0; i < n; i++) yield i;
}

const target = { add: (a, b) => a + b };
const proxy = new Proxy(target, { get: (object, name) => Reflect.get(object, name) });
const bound = function (a, b) {
  return this.base + a * b;
}.bind({ base: 1 }, 2);
const script = new vm.Script(
  '(function scripted(n) { let x = 0; for (let i = 0; i < n; i++) x ^= i; return x; })(5000)');
const emitter = new EventEmitter();
emitter.on('tick', (n) => n + 1);

function repeat(n, fn) {
  let x = 0;
  for (let i = 0; i < n; i++) x = (x + fn(i)) | 0;
  return x;
}

function deep(n) {
  return n === 0 ? new Error('deep').stack.length : 1 + [n].map(() => deep(n - 1))[0];
}

module.exports = {
  classes: () => repeat(300, (i) => new Square(i).area),
  generators: () => [...numbers(5000)].length,
  proxies: () => repeat(3000, (i) => proxy.add(i, 1)),
  bound: () => repeat(5000, bound),
  evaluated: () => (0, eval)('let sum = 0; for (const x of [1, 2, 3]) sum += x; sum') +
    new Function('n', 'return n + 1')(1),
  script: () => script.runInThisContext(),
  apply: () => repeat(3000, (i) => Math.max.apply(null, [i, 1, 2]) + Reflect.construct(Date, [i]).getTime()),
  events: () => repeat(2000, (i) => (emitter.emit('tick', i) ? 1 : 0)),
  errors: () => repeat(200, (i) => {
    try {
      return null[i];
    } catch (err) {
      return err.message.length;
    }
  }),
  recursion: () => deep(200),
  spread: () => repeat(1000, (i) => Math.min(...[i, 2, 3], ...new Set([i, 4]))),
  async awaits() {
    let n = 0;
    for await (const x of numbers(200)) n += x;
    return n;
  },
};
