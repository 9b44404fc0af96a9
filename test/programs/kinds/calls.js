'use strict';

const { begin, going } = require('./meter');

function target() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

class Target {
  constructor() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }
}

const bound = target.bind(null, 1);
const boundTwice = bound.bind(null);

const trap = (name) => new Proxy(target, {
  [name]: () => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return name === 'construct' ? {} : name === 'ownKeys' ? ['prototype'] : true;
  },
});

const getter = trap('get');
const setter = trap('set');
const having = trap('has');
const applied = trap('apply');
const constructed = trap('construct');
const listed = trap('ownKeys');
const transparent = new Proxy(target, {});

const accessor = {
  get speed() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 1;
  },
  set speed(value) {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
};

const viaDefineProperty = Object.defineProperty({}, 'speed', {
  get: function readSpeed() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 1;
  },
});

const valueOf = {
  valueOf() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 1;
  },
};

module.exports = {
  bound: () => bound(),
  boundTwice: () => boundTwice(),
  call: () => target.call(null, 1),
  apply: () => target.apply(null, [1, 2]),
  spread: () => target(...[1, 2, 3]),
  reflectApply: () => Reflect.apply(target, null, []),
  reflectConstruct: () => Reflect.construct(Target, []),
  reflectGet: () => Reflect.get(accessor, 'speed'),
  tooManyArguments: () => target(1, 2, 3, 4, 5, 6, 7, 8, 9),
  optional: () => target?.(),
  proxyGet: () => getter.anything,
  proxySet: () => { setter.anything = 1; },
  proxyHas: () => 'anything' in having,
  proxyApply: () => applied(),
  proxyConstruct: () => new constructed(),
  proxyOwnKeys: () => Reflect.ownKeys(listed),
  proxyTransparent: () => transparent(),
  objectGetter: () => accessor.speed,
  objectSetter: () => { accessor.speed = 1; },
  definedGetter: () => viaDefineProperty.speed,
  valueOf: () => valueOf + 1,
};
