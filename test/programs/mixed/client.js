'use strict';

// Four requests at a time to 127.0.0.1, until the parent goes.

const http = require('node:http');

const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
process.on('disconnect', () => process.exit());

function send(number) {
  const list = Array.from({ length: 50 }, (_, i) => ({ i, name: `item ${i}` }));
  const text = JSON.stringify({ number, jobs: 2 + (number % 5), list });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = { port, host: '127.0.0.1', method: 'POST', path: `/job/${number}`, agent, headers };
  const request = http.request(options, (response) => {
    let answer = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => (answer += chunk));
    response.on('end', () => {
      if (JSON.parse(answer).echo.number !== number) throw new Error(`request ${number}: another one's answer`);
      send(number + 4);
    });
  });
  request.end(text);
}

for (let i = 0; i < 4; i++) send(i);
