'use strict';

// node load.js URL…: asks for each URL again and again, four at a time, until it is ended.

const http = require('node:http');
const { once } = require('node:events');

const agent = new http.Agent({ keepAlive: true });
const urls = process.argv.slice(2);
let next = 0;

async function lane() {
  for (;;) {
    const [answer] = await once(http.get(urls[next++ % urls.length], { agent }), 'response');
    await once(answer.resume(), 'end');
  }
}

for (let i = 0; i < 4; i++) lane();
