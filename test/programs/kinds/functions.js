'use strict';

const { begin, going } = require('./meter');

function declared() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

const arrow = () => {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

function* generator() {
  yield 1;
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  yield 2;
}

const afterYield = () => {
  const values = generator();
  values.next();
  values.next();
};

function* outer() {
  yield* generator();
}

const inFor = () => {
  for (const value of outer()) if (value === 2) return;
};

async function beforeAwait() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

async function afterAwait() {
  await null;
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

const asyncArrow = async () => {
  await undefined;
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
};

async function awaits() {
  await afterAwait();
  await asyncArrow();
}

async function* asyncGenerator() {
  yield 1;
  await null;
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  yield 2;
}

const forAwait = async () => {
  for await (const value of asyncGenerator()) if (value === 2) return;
};

const inFinally = async () => {
  try {
    await Promise.reject(new Error('no'));
  } catch {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  }
};

function withDefault(a = declared(), { b = a } = {}) {
  return b;
}

function nested() {
  return (function inner() {
    return [1].length && (() => {
      let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
    })();
  })();
}

function recursive(n) {
  if (n > 0) return recursive(n - 1);
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

const iife = (function () {
  return function () {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  };
})();

function tag(strings, value) {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  return value;
}

const tagged = () => tag`some ${1} text`;

function looping() {
  let sum = 0;
  for (let n = 0; n < 300000; n++) sum = (sum + n) | 0; // long enough to be replaced while it runs
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  return sum;
}

async function throughThen() {
  await Promise.resolve(1).then(function then() {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  });
}

module.exports = {
  declared, arrow, afterYield, inFor, beforeAwait, afterAwait, asyncArrow, awaits, forAwait, inFinally, withDefault,
  nested, recursive: () => recursive(20), iife, tagged, looping, throughThen,
};
