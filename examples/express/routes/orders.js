'use strict';

// JSON: an order with many lines is read, summed up, and written again.

const { query } = require('../database');

const stored = JSON.stringify({ lines: Array.from({ length: 4000 }, (_, i) => line(i)) });

function line(i) {
  return { article: `A-${i}`, count: (i % 7) + 1, price: (i * 37) % 997, tags: ['new', 'blue'] };
}

async function handle(req, res) {
  const order = parseOrder(await query(stored));
  const sum = addUp(order.lines);
  await query();
  res.type('json').send(writeOrder({ id: req.params.id, sum, lines: order.lines }));
}

function parseOrder(text) {
  return JSON.parse(text);
}

function addUp(lines) {
  return lines.reduce((sum, { count, price }) => sum + count * price, 0);
}

function writeOrder(order) {
  return JSON.stringify(order);
}

module.exports = { handle };
