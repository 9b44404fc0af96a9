'use strict';

// A service under load that does a little of everything: HTTP, JSON, crypto (much of it OpenSSL's assembly), zlib,
// regular expressions, WebAssembly, collections, Intl, buffers, and all kinds of function that the language has. Each
// request runs some jobs one after the other. A second process sends the requests, and ends with this one.
//
//   node mixed.js [FILE]
//
//   DURATION_MS  how long to run (10000)
//   STOP         a file: run no longer than until it exists
//   JOBS         only those whose names begin with this, as in crypto; all without it
//   SEED         of the random choices (1)
//
// It prints "ready PID" on stderr when every job has run once, and writes JSON lines to FILE or stdout at the end:
//
//   {"kind":"header","program","pid","node","requests"}       requests: answered
//   {"kind":"clock","mono":ns,"unix":ns}                      both clocks at one instant; at the start and at the end
//   {"kind":"stack","id","frames":[{"function","file","first","last"}]}
//   {"kind":"interval","start":ns,"end":ns,"tid","stack":id}  times are CLOCK_MONOTONIC
//
// The one frame of a stack is the job that ran: it stands somewhere in the stack of each sample of that time, with what
// it calls above it and what called it below. Between two calls of a quick job its caller, times, is the leaf for a
// moment.

const http = require('node:http');
const path = require('node:path');
const { fork } = require('node:child_process');
const { number, stopped } = require('./lib/env');
const { random } = require('./lib/random');
const { ready, write } = require('./lib/output');
const { Jobs } = require('./mixed/jobs');

const deadline = performance.now() + number('DURATION_MS', 10000);
const below = random(number('SEED', 1));
const jobs = new Jobs(process.env.JOBS || '', 200000);
let requests = 0;

// answer runs as many jobs as the request asks for, and says what came out.
function answer(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString());
    const results = [];
    for (let i = 0; i < asked.jobs; i++) results.push(await jobs.run(below(jobs.list.length)));
    requests++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ path: request.url, echo: asked, results }));
  });
}

async function main() {
  for (let i = 0; i < jobs.list.length; i++) await jobs.run(i);
  const server = http.createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = fork(path.join(__dirname, 'mixed', 'client.js'), [String(server.address().port)], { execArgv: [] });
  ready();
  setInterval(() => {
    if (performance.now() < deadline && !stopped()) return;
    client.removeAllListeners();
    client.kill();
    write({ requests }, jobs.lines());
    process.exit();
  }, 100);
  client.on('exit', (code, signal) => {
    throw new Error(`the client ended: ${code ?? signal}`);
  });
}

main();
