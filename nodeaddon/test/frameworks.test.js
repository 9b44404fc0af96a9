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

test('a worker of fastq', async () => {
  const fastq = require('fastq');
  const worker = require('hotspan/worker');
  const options = { queue: 'images', name: (job) => job.kind };
  const queue = fastq.promise(worker(async (job) => {
    await sleep();
    return [getContext(), job.kind];
  }, options), 3);
  const jobs = Array.from({ length: 9 }, (_, id) => ({ kind: ['resize', 'crop'][id % 2], id }));
  const done = await Promise.all(jobs.map((job) => runWithContext({ route: '/upload' }, () => queue.push(job))));
  jobs.forEach(({ kind, id }, i) => {
    assert.deepEqual(done[i], [{ route: `images/${kind}`, labels: { 'job.id': id } }, kind]);
  });
  const own = { prefix: 'x' };
  const called = fastq(own, worker(function work(job, end) {
    setImmediate(() => end(null, [this.prefix, inside()]));
  }), 1);
  const push = (job) => new Promise((resolve, reject) => {
    called.push(job, (err, result) => (err ? reject(err) : resolve(result)));
  });
  assert.deepEqual(await push({ name: 'mail', id: 'a' }), ['x', { 'http.route': 'mail', 'job.id': 'a' }]);
  assert.deepEqual(await push('a text'), ['x', {}]);
});

test('a worker of better-queue', async () => {
  const Queue = require('better-queue');
  const worker = require('hotspan/worker');
  const process = worker((job, end) => setTimeout(() => end(null, getContext()), 1), { queue: 'mail' });
  const queue = new Queue(process, { concurrent: 2 });
  const jobs = ['a', 'b', 'c'].map((id) => new Promise((resolve, reject) => {
    queue.push({ id, name: `kind ${id}` }).on('finish', resolve).on('failed', reject);
  }));
  for (const [i, got] of (await Promise.all(jobs)).entries()) {
    const id = 'abc'[i];
    assert.deepEqual(got, { route: `mail/kind ${id}`, labels: { 'job.id': id } });
  }
  await new Promise((resolve) => queue.destroy(resolve));
});

const old = parseInt(process.versions.node) < 20 && 'it needs Node 20';

test('koa', { skip: old }, async () => {
  const app = new (require('koa'))();
  app.use(require('hotspan/koa')());
  app.use((context, next) => sleep().then(next));
  const { Router } = require('@koa/router');
  const router = new Router({ prefix: '/shop' });
  router.get('/items/:id', async (context) => {
    await sleep();
    context.body = inside();
  });
  app.use(router.routes());
  app.use((context) => {
    context.body = inside();
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  assert.deepEqual(await ask(server, '/shop/items/7'), { 'http.route': '/shop/items/:id' });
  assert.deepEqual(await ask(server, '/nowhere'), {});
  server.close();
});

test('hono', { skip: old }, async () => {
  const { Hono } = require('hono');
  const app = new Hono();
  app.use(require('hotspan/hono')());
  app.use('/shop/*', (context, next) => sleep().then(next));
  const shop = new Hono().get('/items/:id', async (context) => {
    await sleep();
    return context.json(inside());
  });
  app.route('/shop', shop);
  app.notFound((context) => context.json(inside()));
  const server = require('@hono/node-server').serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  assert.deepEqual(await ask(server, '/shop/items/7'), { 'http.route': '/shop/items/:id' });
  assert.deepEqual(await ask(server, '/nowhere'), {});
  server.close();
});

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
