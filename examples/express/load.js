'use strict';

// node load.js URL [SECONDS]
// Loads all endpoints at once, a quarter of the requests with a traceparent header as from another traced service.
// It ends after SECONDS (10) or 200,000 requests, and prints how many were served and how many failed.

const { randomBytes } = require('node:crypto');
const autocannon = require('autocannon');

const [url, seconds = '10'] = process.argv.slice(2);
const maxRequests = 200000;

function path() {
  const id = Math.floor(Math.random() * 10000);
  const paths = ['/sudoku', `/orders/${id}`, '/ranking', '/search?q=word', `/login/user${id}`, '/basket'];
  return paths[Math.floor(Math.random() * paths.length)];
}

function traceparent() {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

function nextRequest(request) {
  const traced = Math.random() < 0.25 ? { traceparent: traceparent() } : {};
  return { ...request, path: path(), headers: { ...request.headers, ...traced } };
}

async function main() {
  const requests = [{ method: 'GET', path: '/', setupRequest: nextRequest }];
  const options = { url, connections: 16, duration: Number(seconds), timeout: 5, requests };
  const load = autocannon(options);
  let count = 0;
  load.on('response', () => {
    if (++count === maxRequests) load.stop();
  });
  const result = await load;
  const failed = result.non2xx + result.errors;
  console.log(`${result['2xx']} requests served, ${failed} failed`);
  if (failed > 0 || result['2xx'] === 0) process.exitCode = 1;
}

if (!url || !(Number(seconds) > 0)) {
  console.error('usage: node load.js URL [SECONDS]');
  process.exit(2);
}
main();
