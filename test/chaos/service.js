'use strict';

// node service.js PORT NAME
// Serves HTTP on a port of loopback, 0 for any that is free, and prints "listening PORT". NAME is for hotspan --name.
//
// GET /work          answers after some milliseconds of work, within a store of an AsyncLocalStorage
// GET /fork?MS       starts a process 50 times a second for so long, and answers with how many have ended
// GET /exec          answers, and then becomes another program by execve(2): this one again, at the same port

const { AsyncLocalStorage } = require('node:async_hooks');
const { spawn } = require('node:child_process');
const { createServer } = require('node:http');

const requests = new AsyncLocalStorage();
const [, script, port, name] = process.argv;

function work(number) {
  let x = number;
  for (const end = performance.now() + 2; performance.now() < end;) {
    x = JSON.stringify({ x, rows: new Array(200).fill(number) }).length;
  }
  return x;
}

async function answer(number) {
  work(number);
  await null;
  return String(work(requests.getStore().number));
}

function fork(ms) {
  return new Promise((resolve) => {
    let running = 0;
    let ended = 0;
    let over = false;
    const end = () => {
      running--;
      ended++;
      if (over && running === 0) resolve(String(ended));
    };
    const timer = setInterval(() => {
      running++;
      spawn('/bin/true', { stdio: 'ignore' }).once('exit', end);
    }, 20);
    setTimeout(() => {
      over = true;
      clearInterval(timer);
      if (running === 0) resolve(String(ended));
    }, ms);
  });
}

let served = 0;
const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  if (pathname === '/fork') return response.end(await fork(Number(search.slice(1))));
  if (pathname === '/work') return response.end(await requests.run({ number: served++ }, () => answer(served)));
  const own = String(server.address().port);
  return response.end('soon', () => {
    process.execve(process.execPath, [process.execPath, '--no-warnings', script, own, name], process.env);
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`listening ${server.address().port}`));
