'use strict';

// Regular expressions: log lines are searched for addresses that a word comes after.

const { query } = require('../database');

const lines = Array.from({ length: 1800 }, (_, i) => logLine(i));

function logLine(i) {
  return `2024-05-${(i % 28) + 1} user${i}@host${i % 50}.example said word${i % 90} and then ${'more '.repeat(i % 9)}`;
}

async function handle(req, res) {
  const text = await query(lines);
  const found = searchLines(text, `word${Math.floor(Math.random() * 90)}`);
  await query();
  res.json({ found: found.length });
}

function searchLines(text, word) {
  const pattern = new RegExp(`([a-z]+\\d+)@((?:[a-z0-9]+\\.)+[a-z]+).*\\b${word}\\b.*\\b(?:more ?)+$`);
  return text.map((line) => matchLine(pattern, line)).filter(Boolean);
}

function matchLine(pattern, line) {
  return pattern.exec(line);
}

module.exports = { handle };
