'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const http = require('node:http');
const path = require('node:path');
const { once } = require('node:events');
const { test } = require('node:test');
const { context, trace } = require('@opentelemetry/api');
const { RPCType, getRPCMetadata, setRPCMetadata } = require('@opentelemetry/core');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { bindOpenTelemetry, getContext, runWithContext } = require('hotspan');
const { inside } = require('./inside');

const sleep = () => new Promise((resolve) => setTimeout(resolve, 1));

// ask gets what a server answers to a path.
async function ask(server, path) {
  const request = http.get({ port: server.address().port, host: '127.0.0.1', path });
  const [answer] = await once(request, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return JSON.parse(text);
}

test('express', async () => {
  const app = require('express')();
  app.use(require('hotspan/express')());
  app.use((request, response, next) => setImmediate(next));
  const router = require('express').Router();
  router.get('/items/:id', async (request, response) => {
    await sleep();
    response.json(inside());
  });
  app.use('/shop', router);
  app.use((request, response) => response.json(inside()));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  assert.deepEqual(await ask(server, '/shop/items/7'), { 'http.route': '/shop/items/:id' });
  assert.deepEqual(await ask(server, '/nowhere'), {});
  server.close();
});

const old = parseInt(process.versions.node) < 20 && 'fastify 5 needs Node 20';

test('fastify', { skip: old }, async () => {
  const app = require('fastify')();
  app.register(require('hotspan/fastify'));
  app.get('/items/:id', async () => {
    await sleep();
    return inside();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  assert.deepEqual(await ask(app.server, '/items/7'), { 'http.route': '/items/:id' });
  await app.close();
});

test('--import hotspan/register', { skip: old }, () => {
  for (const flag of ['--import', '--require']) {
    const args = [flag, 'hotspan/register', path.join(__dirname, 'registered.js')];
    const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, ...args], { encoding: 'utf8' });
    assert.equal(stdout, '{"http.route":"/items/:id"}\n', stderr);
  }
});

test('OpenTelemetry', async () => {
  bindOpenTelemetry();
  const provider = new NodeTracerProvider({ spanProcessors: [] });
  provider.register();
  const tracer = trace.getTracer('test');
  const ids = (span) => ({ trace_id: span.spanContext().traceId, span_id: span.spanContext().spanId });
  const server = tracer.startSpan('server');
  const metadata = { type: RPCType.HTTP, span: server };
  const active = setRPCMetadata(trace.setSpan(context.active(), server), metadata);
  await runWithContext({ labels: { tenant: 'x' } }, () => context.with(active, async () => {
    assert.deepEqual(inside(), { ...ids(server), tenant: 'x' });
    for (const route of ['/items', '/items/:id']) {
      getRPCMetadata(context.active()).route = route;
      assert.deepEqual(inside(), { ...ids(server), tenant: 'x', 'http.route': route });
      assert.equal(Object.getOwnPropertyDescriptor(metadata, 'route').value, route);
    }
    await tracer.startActiveSpan('inner', async (span) => {
      assert.deepEqual(inside(), { ...ids(span), tenant: 'x', 'http.route': '/items/:id' });
      await sleep();
      assert.equal(getContext().spanId, span.spanContext().spanId);
    });
    const first = getContext();
    assert.equal(first.spanId, server.spanContext().spanId);
    context.with(active, () => assert.equal(getContext(), first, 'a context is made once'));
  }));
  assert.equal(getContext(), undefined);

  // The metadata come after the span.
  const late = trace.setSpan(context.active(), server);
  context.with(late, () => context.with(setRPCMetadata(late, { type: RPCType.HTTP, span: server }), () => {
    getRPCMetadata(context.active()).route = '/late';
    assert.deepEqual(inside(), { ...ids(server), 'http.route': '/late' });
  }));
});
