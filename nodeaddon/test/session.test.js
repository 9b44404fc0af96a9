'use strict';

// What startProfile does without an agent, and with one that says anything. (test/e2e has the real one.)

const assert = require('node:assert');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { gzipSync } = require('node:zlib');
const { form, startProfile } = require('hotspan');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-'));
const socket = path.join(dir, 'agent.sock');

test('no agent', async () => {
  await assert.rejects(startProfile({ socket }), {
    message: `hotspan: no agent listens at ${socket}: start one by "sudo npx hotspan agent"`,
  });
});

const begun = '{"type":"begun"}\n';

for (const [what, answer, message] of [
  ['another version', (r) => r.writeHead(426).end('speaks version 2'), 'hotspan: speaks version 2'],
  ['an error', (r) => r.end('{"type":"error","message":"not Node"}\n'), 'hotspan: not Node'],
  ['no JSON', (r) => r.end('hello\n'), /JSON/],
  ['an end', (r) => r.end(), 'hotspan: the agent has ended the profile'],
  ['a reset', (r) => r.destroy(), /socket hang up|ECONNRESET|aborted/],
]) {
  test(`an agent that answers with ${what}`, async () => {
    await withAgent((request, response) => answer(response), async () => {
      await assert.rejects(startProfile({ socket }), typeof message === 'string' ? { message } : message);
    });
  });
}

test('an agent that ends during a profile', async () => {
  await withAgent((request, response) => {
    response.write(begun);
    request.once('data', () => response.destroy());
  }, async () => {
    const session = await startProfile({ socket });
    await assert.rejects(session.snapshot());
    await assert.rejects(session.snapshot(), { message: 'hotspan: the profile has ended' });
  });
});

test('an agent that shares nothing after all', async () => {
  await withAgent((request, response) => {
    if (request.method === 'GET') return response.end('no file');
    response.write('{"type":"begun","id":"a"}\n{"type":"shared"}\n');
  }, async () => {
    const message = 'hotspan: the agent does not say which contexts samples have';
    if (form === 'record') await assert.rejects(startProfile({ socket }), { message });
    else await (await startProfile({ socket }))[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]();
  });
});

test('a snapshot in pieces', async () => {
  const samples = gzipSync(JSON.stringify({
    threads: ['MainThread'],
    frames: [{ function: 'inner', kind: 'js' }, { function: 'outer', kind: 'js' }], stacks: [[0, 1], [1]],
    labels: [{}, { tenant: 'x' }],
    samples: [[5, 0, 1, 0, 42, 'js'], [7, 0, 0, 0, 42, 'gc'], [9, 1, 0, 0, 42, 'js']],
  }));
  const about = {
    type: 'snapshot', pprof: 3, samples: samples.length, start: '1700000000000000000', end: '1700000001000000000',
    period: 10, lost: { late: 2 },
  };
  const all = Buffer.concat([Buffer.from(`${JSON.stringify(about)}\nabc`), samples]);
  await withAgent((request, response) => {
    response.write(begun);
    request.on('data', async () => {
      for (let i = 0; i < all.length; i += 7) {
        response.write(all.subarray(i, i + 7));
        await new Promise(setImmediate);
      }
    });
  }, async () => {
    const session = await startProfile({ socket });
    const profile = await session.stopAndCapture();
    assert.deepStrictEqual(Buffer.from(profile.profile).toString(), 'abc');
    assert.deepStrictEqual(profile.lost, { late: 2 });
    const got = [...profile.samples()];
    assert.deepStrictEqual(got.map((s) => [s.timestamp, s.state, s.labels.tenant, s.context]), [
      [1700000000000000005n, 'js', 'x', undefined],
      [1700000000000000007n, 'gc', undefined, undefined],
      [1700000000000000009n, 'js', undefined, undefined],
    ]);
    const [outer] = profile.tree().children;
    assert.deepStrictEqual([outer.frame.function, outer.samples], ['outer', 1]);
    assert.deepStrictEqual([outer.children[0].frame.function, outer.children[0].samples], ['inner', 2]);
  });
});

// withAgent has an agent answer while test runs.
async function withAgent(answer, run) {
  const server = http.createServer(answer).listen(socket);
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  try {
    await run();
  } finally {
    server.closeAllConnections?.();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}
