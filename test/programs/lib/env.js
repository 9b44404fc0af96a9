'use strict';

const fs = require('fs');

// number reads a whole number from the environment.
function number(name, fallback) {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  if (!/^[0-9]+$/.test(text)) throw new Error(`${name}: not a whole number: ${text}`);
  return Number(text);
}

// choice reads one of some words from the environment; the first is the default.
function choice(name, words) {
  const text = process.env[name] || words[0];
  if (!words.includes(text)) throw new Error(`${name}: ${text} is none of ${words.join(', ')}`);
  return text;
}

// stopped reports whether the file exists that the environment variable STOP names: then the program is to end.
function stopped() {
  return Boolean(process.env.STOP) && fs.existsSync(process.env.STOP);
}

module.exports = { number, choice, stopped };
