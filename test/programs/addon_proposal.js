'use strict';

// Tests of what Node's own proposal (nodejs/node pull request 63163) describes, on the npm package and with an agent:
// values attached to samples, snapshots without a stop, trees with contexts.
//
//   HOTSPAN=… AGENT=SOCKET node --expose-gc --test addon_proposal.js

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { burnNumbers, burnObjects } = require('./lib/burn');

const { startProfile, runWithContext, enterWithContext, getContext } = require(process.env.HOTSPAN);
const options = { frequency: 997, socket: process.env.AGENT };

const mine = (profile) => [...profile.samples()].filter((s) => s.threadId === process.pid);
const within = (samples, name) => samples.filter((s) => s.stack.some((f) => f.function === name));

// burn uses as many milliseconds of CPU time: a busy machine gives the process less than it has of other time.
function burn(milliseconds) {
  const begin = process.cpuUsage();
  let used;
  do {
    burnNumbers(2);
    used = process.cpuUsage(begin);
  } while (used.user + used.system < milliseconds * 1000);
}

// Most samples, since a sample may be between a function's begin and its context, or for what the profiler learns.
function allHave(samples, value, least = 20) {
  assert.ok(samples.length >= least, `${samples.length} samples`);
  const others = samples.filter((s) => s.context !== value);
  assert.ok(others.length <= samples.length / 10, `${others.length} of ${samples.length} have another context`);
  assert.ok(others.every((s) => s.context === undefined), 'a sample has a wrong context');
}

async function profiled(run) {
  const session = await startProfile(options);
  await warm();
  await session.snapshot();
  const result = await run(session);
  return { samples: mine(await session.stopAndCapture()), result };
}

// warm has the profiler learn what it reads here.
async function warm() {
  for (let i = 0; i < 5; i++) await runWithContext({}, async () => { burn(40); await sleep(20); });
}

function inContext() { burn(150); }
function outside() { burn(100); }

test('samples of runWithContext have its value, others have none, and the result comes back', async () => {
  const value = { any: ['thing'] };
  const { samples, result } = await profiled(async () => {
    const got = runWithContext(value, (a) => { inContext(); return a + 1; }, 1);
    outside();
    return got;
  });
  assert.equal(result, 2);
  allHave(within(samples, 'inContext'), value);
  allHave(within(samples, 'outside'), undefined);
});

test('any value is a context: a text, a number, a symbol, null, a function', async () => {
  const values = ['text', 42, Symbol('s'), null, () => {}, [1], new Map(), true, 10n];
  const { samples } = await profiled(async () => {
    for (const value of values) runWithContext(value, () => { assert.equal(getContext(), value); burn(60); });
  });
  for (const value of values) assert.ok(samples.some((s) => Object.is(s.context, value)), String(value));
  assert.ok(samples.every((s) => s.context === undefined || values.includes(s.context)));
});

test('a context without room for its number has no value', async () => {
  const value = (i) => ({ labels: { n: String(i), a: 'a'.repeat(255), b: 'b'.repeat(255), c: 'c'.repeat(40 + i) } });
  const { samples } = await profiled(async () => {
    for (let i = 0; i < 60; i++) runWithContext(value(i), () => burn(10));
  });
  const all = samples.filter((s) => s.labels.n !== undefined);
  assert.ok(all.length >= 100, `${all.length} samples`);
  assert.ok(all.every((s) => s.context === undefined || s.context.labels.n === s.labels.n));
  assert.ok(all.some((s) => s.context === undefined), 'there was room in all');
});

test('contexts within contexts, and errors', async () => {
  const [outer, inner] = [{ name: 'outer' }, { name: 'inner' }];
  function first() { burn(100); }
  function second() { burn(100); }
  function third() { burn(100); }
  const { samples } = await profiled(async () => runWithContext(outer, () => {
    first();
    assert.throws(() => runWithContext(inner, () => { second(); throw new Error('mine'); }), /mine/);
    third();
  }));
  allHave(within(samples, 'first'), outer);
  allHave(within(samples, 'second'), inner);
  allHave(within(samples, 'third'), outer);
});

test('a context goes on in promises, timers and microtasks', async () => {
  const value = {};
  function later() { burn(60); }
  const { samples } = await profiled(() => runWithContext(value, async () => {
    await null;
    later();
    await sleep(5);
    later();
    await new Promise((resolve) => { queueMicrotask(() => { later(); resolve(); }); });
    await new Promise((resolve) => { setImmediate(() => { later(); resolve(); }); });
  }));
  allHave(within(samples, 'later'), value);
});

test('enterWithContext is for the rest, and for each of interleaved requests its own', async () => {
  const values = [{ n: 0 }, { n: 1 }, { n: 2 }];
  const works = [function work0() { burn(5); }, function work1() { burn(5); },
    function work2() { burn(5); }];
  const { samples } = await profiled(async () => {
    await Promise.all(values.map(async (value, i) => {
      await null;
      enterWithContext(value);
      for (let j = 0; j < 15; j++) {
        works[i]();
        await sleep(1);
      }
    }));
  });
  values.forEach((value, i) => allHave(within(samples, `work${i}`), value));
});

test('samples of collections keep their context', async () => {
  const value = {};
  const { samples } = await profiled(async () => runWithContext(value, () => burnObjects(1500)));
  const gc = samples.filter((s) => s.state === 'gc');
  allHave(gc, value, 5);
});

test('snapshots follow each other without a gap, and one value is in several', async () => {
  const value = {};
  const session = await startProfile(options);
  await warm();
  let end = (await session.snapshot()).end;
  await runWithContext(value, async () => {
    for (let i = 0; i < 4; i++) {
      inContext();
      const profile = await session.snapshot();
      assert.equal(profile.start, end);
      end = profile.end;
      allHave(within(mine(profile), 'inContext'), value);
    }
  });
  const last = await session.stopAndCapture();
  assert.equal(last.start, end);
  await assert.rejects(session.snapshot(), { message: 'hotspan: the profile has ended' });
  await assert.rejects(session.stopAndCapture(), { message: 'hotspan: the profile has ended' });
});

test('the tree has the contexts', async () => {
  const value = {};
  const session = await startProfile(options);
  await warm();
  await session.snapshot();
  runWithContext(value, inContext);
  const profile = await session.stopAndCapture();
  let [found, samples] = [0, 0];
  (function walk(node) {
    found += node.contexts.get(value) ?? 0;
    samples += node.samples;
    node.children.forEach(walk);
  })(profile.tree());
  assert.equal(samples, [...profile.samples()].length);
  assert.equal(found, [...profile.samples()].filter((s) => s.context === value).length);
  assert.ok(found > 20);
});

test('values can be collected when no snapshot may name them', async () => {
  let ref;
  await profiled(async () => {
    await (async () => {
      const value = { large: new Array(1000).fill(0) };
      ref = new WeakRef(value);
      runWithContext(value, inContext);
    })();
  });
  for (let i = 0; i < 20 && ref.deref(); i++) {
    await sleep(10);
    gc();
  }
  assert.equal(ref.deref(), undefined);
});

test('two profiles at a time', async () => {
  const value = {};
  const sessions = await Promise.all([startProfile(options), startProfile({ ...options, frequency: 499 })]);
  await warm();
  await Promise.all(sessions.map((s) => s.snapshot()));
  runWithContext(value, inContext);
  const [fast, slow] = await Promise.all(sessions.map((s) => s.stopAndCapture()));
  allHave(within(mine(fast), 'inContext'), value);
  allHave(within(mine(slow), 'inContext'), value);
  assert.ok(fast.period < slow.period);
});

test('the end of a block ends a profile', async () => {
  const session = await startProfile(options);
  await session[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]();
  await assert.rejects(session.snapshot(), { message: 'hotspan: the profile has ended' });
});

test('without a profile contexts work', () => {
  assert.equal(runWithContext({ a: 1 }, () => getContext().a), 1);
});
