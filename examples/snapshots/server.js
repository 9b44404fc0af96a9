'use strict';

// A service that keeps profiles of itself: node server.js FOLDER SECONDS [SOCKET].

const http = require('node:http');
const { createHash } = require('node:crypto');
const { runWithContext } = require('hotspan');
const { keepProfiles } = require('./profiles');

const [folder, seconds, socket] = process.argv.slice(2);
const rounds = { login: 400, search: 100 };

function digest(text, times) {
  let hash = text;
  for (let i = 0; i < times; i++) hash = createHash('sha256').update(text).update(hash).digest('hex');
  return hash;
}

const server = http.createServer((request, response) => {
  const name = request.url.slice(1);
  if (!(name in rounds)) return response.writeHead(404).end();
  runWithContext({ route: request.url }, () => response.end(digest('x'.repeat(4000), rounds[name])));
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
keepProfiles(folder, Number(seconds), { socket });
