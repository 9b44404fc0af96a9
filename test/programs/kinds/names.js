'use strict';

const { begin, going } = require('./meter');

function 函数() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

function größe() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

const $_ = () => {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

const inferred = {
  method() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  arrow: () => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  expression: function () {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  named: function itsOwnName() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  'with space': () => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  7: () => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  deep: { er: { } },
};
inferred.assigned = function () {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};
inferred.deep.er.still = () => {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

let variable;
variable = function () {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

const list = [() => {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}];

exports.onExports = function () {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

const { fromDefault = () => {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
} } = {};

// The body of functions that are made of text.
const body =
  '{ let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x)); }';

const oneLongName = `long${'Name'.repeat(400)}`;
const long = new Function('begin', 'going', `return function ${oneLongName}() ${body}`)(begin, going);

// Keys that are put together of parts. What V8 keeps of them may be any kind of string.
const half = oneLongName.slice(3, 40);
const consName = new Function('begin', 'going', `return { ${half + 'A'}() ${body} }.${half + 'A'}`)(begin, going);

const oneLine = new Function('begin', 'going', `return () => ${body}`)(begin, going);

module.exports = {
  twoBytes: 函数, latin1: größe, dollar: $_, method: inferred.method, arrowProperty: inferred.arrow,
  expressionProperty: inferred.expression, ownName: inferred.named, withSpace: inferred['with space'],
  number: inferred[7],
  assigned: () => inferred.assigned(), deep: () => inferred.deep.er.still(), variable, inArray: () => list[0](),
  onExports: exports.onExports, fromDefault, longName: long, consName, withoutAnyName: oneLine,
};
