'use strict';

// Sorting: players by points, then by name.

const { query } = require('../database');

const players = Array.from({ length: 8000 }, (_, i) => newPlayer(i));

function newPlayer(i) {
  return { name: `player ${(i * 7919) % 8000}`, wins: (i * 31) % 100 };
}

async function handle(req, res) {
  const list = await query(players);
  const ranked = rank(list, Math.random());
  await query();
  res.json(ranked.slice(0, 10));
}

function rank(list, bonus) {
  const scored = [];
  for (const player of list) scored.push(score(player, bonus));
  return scored.sort(comparePlayers);
}

function score(player, bonus) {
  return { ...player, points: Math.round(player.wins * (1 + bonus)) };
}

function comparePlayers(a, b) {
  if (a.points !== b.points) return b.points - a.points;
  return a.name < b.name ? -1 : 1;
}

module.exports = { handle };
