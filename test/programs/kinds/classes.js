'use strict';

const { begin, going } = require('./meter');

const on = (name) => name === burning;
let burning = '';

class Base {
  constructor() {
    if (!on('super')) return;
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  inherited() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  get value() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 1;
  }
}

class Kind extends Base {
  field = this.#ofField();

  constructor() {
    super();
    if (!on('constructor')) return;
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  #ofField() {
    if (!on('field')) return;
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  #secret() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  callSecret() {
    this.#secret();
  }

  get #hidden() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 1;
  }

  getHidden() {
    return this.#hidden;
  }

  set speed(value) {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  static still() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  inherited() {
    return super.inherited();
  }

  get value() {
    return super.value;
  }

  async later() {
    await null;
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }

  * values() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    yield 1;
  }

  [Symbol.toPrimitive]() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 7;
  }
}

class Derived extends Kind {}

// These burn while the class is made or an object of it is.
const makeFieldInitializer = () => new (class {
  field = (() => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  })();
})();

const makeStaticField = () => class {
  static field = (() => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  })();
};

const makeStaticBlock = () => class {
  static {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }
};

const makeComputedKey = () => class {
  [(() => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    return 'key';
  })()]() {}
};

function OldStyle() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}
OldStyle.prototype.method = function () {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

const kind = new Derived();
const old = Object.create(OldStyle.prototype);

const construct = (name) => () => {
  burning = name;
  new Derived();
  burning = '';
};

module.exports = {
  constructorOfBase: construct('super'),
  constructorOfDerived: construct('constructor'),
  constructorsField: construct('field'),
  privateMethod: () => kind.callSecret(),
  privateGetter: () => kind.getHidden(),
  setter: () => { kind.speed = 1; },
  getter: () => new Base().value,
  superGetter: () => kind.value,
  staticMethod: () => Kind.still(),
  superMethod: () => kind.inherited(),
  asyncMethod: () => kind.later(),
  generatorMethod: () => [...kind.values()],
  toPrimitive: () => +kind,
  fieldInitializer: makeFieldInitializer,
  staticField: makeStaticField,
  staticBlock: makeStaticBlock,
  computedKey: makeComputedKey,
  oldStyle: () => new OldStyle(),
  oldStyleMethod: () => old.method(),
};
