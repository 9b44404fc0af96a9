'use strict';

// A service on node:http whose CPU time is to be told apart by tenant and by what it does for them.

const http = require('node:http');
const { createHash } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { runWithContext, withLabels } = require('hotspan');

const sizes = { acme: 4000, globex: 2000, initech: 1000 };

function render(tenant) {
  const rows = Array.from({ length: sizes[tenant] }, (_, i) => ({ tenant, i, name: `row ${i}` }));
  return JSON.stringify(rows.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function digest(text) {
  let hash = text;
  for (let i = 0; i < 20; i++) hash = createHash('sha256').update(text).update(hash).digest('hex');
  return hash;
}

async function report(tenant) {
  const text = withLabels({ step: 'render' }, render, tenant);
  await sleep(1);
  return withLabels({ step: 'digest' }, digest, text);
}

const server = http.createServer((request, response) => {
  const tenant = request.url.slice('/report/'.length);
  if (!(tenant in sizes)) return response.writeHead(404).end();
  runWithContext({ route: '/report/:tenant', labels: { tenant } }, async () => {
    response.end(await report(tenant));
  });
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
