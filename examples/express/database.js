'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

// query stands for a database: it answers after some milliseconds in which the service does something else.
async function query(answer) {
  await sleep(1 + Math.floor(Math.random() * 4));
  return answer;
}

module.exports = { query };
