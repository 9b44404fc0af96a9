'use strict';

// A service without a network: it does a fixed amount of work on demand and says how much CPU time that took. A unit of
// work is one request, in two stretches with an await between them, within OpenTelemetry's server span and a store of
// the application. A sample of it has about 36 frames, a trace id, a span id and a route.
//
//   node service.js          prints "ready PID", then serves commands on stdin until that is closed:
//                              work N    do N units, then print {"cpu":µs,"wall":µs}
//   node service.js N        does N units and ends

const { AsyncLocalStorage } = require('node:async_hooks');
const { createInterface } = require('node:readline');
const { register } = require('../programs/requests/tracing');

const tracing = register();
const app = new AsyncLocalStorage({ name: 'app' });
const tenants = ['acme', 'globex', 'initech', 'umbrella'];
const routes = ['/orders/:id', '/search', '/report', '/basket'];

// layers is what stands between the server and the handler in a service: each calls the next one.
const layers = [
  function authenticate(request, i, handler) { return dispatch(request, i + 1, handler); },
  function router(request, i, handler) { return dispatch(request, i + 1, handler); },
];

function dispatch(request, i, handler) {
  return i === layers.length ? handler(request) : layers[i](request, i, handler);
}

function parseOrders(request) {
  const rows = [];
  for (let i = 0; i < 60; i++) rows.push({ id: (request.number * 31 + i * 17) % 997, name: `order ${i}`, price: i });
  return JSON.parse(JSON.stringify(rows));
}

function hashOrder(order) {
  let x = order.id;
  for (let i = 0; i < 1500; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x;
}

function price(request) {
  return parseOrders(request).sort((a, b) => a.id - b.id).reduce((sum, order) => sum ^ hashOrder(order), 0);
}

function render(request) {
  let html = '';
  for (let i = 0; i < 200; i++) html += `<li class="${request.target}">${(request.number + i) % 89}</li>`;
  return html.replace(/<li/g, '<LI').split('>').map((part) => part.length).reduce((a, b) => a + b, 0);
}

async function serveRequest(number) {
  const tenantName = tenants[number % tenants.length];
  const route = routes[number % routes.length];
  const request = { number, method: 'GET', target: `/unit/${number}`, route, remote: false, tenantName };
  const store = { premium: number % 2 === 0, user: { tenant: tenantName, id: `user-${number % 100}` } };
  return app.run(store, () => tracing.serve(request, async (span) => {
    span.setRoute(route);
    let x = dispatch(request, 0, price);
    await null;
    x ^= dispatch(request, 0, render);
    span.end();
    return x;
  }));
}

// The event loop gets a turn after each request, as with a network.
async function work(units) {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  for (let i = 0; i < units; i++) {
    await serveRequest(i);
    await new Promise(setImmediate);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: user + system, wall: Math.round(1000 * (performance.now() - wall)) };
}

async function main() {
  if (process.argv.length > 2) {
    await work(Number(process.argv[2]));
    return;
  }
  console.log(`ready ${process.pid}`);
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await work(Number(line.split(' ')[1]))));
  }
  process.exit(0);
}

main();
