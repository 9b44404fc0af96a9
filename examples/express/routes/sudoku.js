'use strict';

// Recursion: a sudoku, solved by trying.

const { query } = require('../database');

const puzzle = '000010002060000100500200060000600907400301008308004000090003005002000040800020000';

async function handle(req, res) {
  const cells = await query([...puzzle].map(Number));
  const turned = rotate(cells, Math.floor(Math.random() * 9));
  solve(turned, 0, { left: 15000 });
  await query();
  res.json({ solution: turned.join('') });
}

// rotate replaces each digit d by d+by, which gives another sudoku that is as hard.
function rotate(cells, by) {
  return cells.map((digit) => (digit === 0 ? 0 : ((digit - 1 + by) % 9) + 1));
}

// solve fills the cells from at on. budget.left is how often it may still try.
function solve(cells, at, budget) {
  while (at < 81 && cells[at] !== 0) at++;
  if (at === 81 || budget.left-- < 0) return true;
  for (let digit = 1; digit <= 9; digit++) {
    if (!fits(cells, at, digit)) continue;
    cells[at] = digit;
    if (solve(cells, at + 1, budget)) return true;
  }
  cells[at] = 0;
  return false;
}

function fits(cells, at, digit) {
  const row = Math.floor(at / 9);
  const column = at % 9;
  const corner = (row - (row % 3)) * 9 + column - (column % 3);
  for (let i = 0; i < 9; i++) {
    if (cells[row * 9 + i] === digit) return false;
    if (cells[i * 9 + column] === digit) return false;
    if (cells[corner + Math.floor(i / 3) * 9 + (i % 3)] === digit) return false;
  }
  return true;
}

module.exports = { handle };
