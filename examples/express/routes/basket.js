'use strict';

// Allocation: many small objects, most of them garbage at once; the collector has work to do.

const { query } = require('../database');

async function handle(req, res) {
  const articles = await query(20000);
  const basket = fillBasket(articles);
  await query();
  res.json({ kinds: countKinds(basket).size });
}

function fillBasket(count) {
  const basket = [];
  for (let i = 0; i < count; i++) basket.push(newArticle(i));
  return basket;
}

function newArticle(i) {
  return { number: i, label: `article ${i}`, price: { amount: i * 1.1, currency: 'EUR' }, kinds: [i % 3, i % 5] };
}

function countKinds(basket) {
  const counts = new Map();
  for (const { kinds } of basket) {
    const key = kinds.join('/');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

module.exports = { handle };
