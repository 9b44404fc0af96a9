'use strict';

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { test } = require('node:test');
const hotspan = require('hotspan');
const { inside, lib, record } = require('./inside');
const { runWithContext, enterWithContext, getContext, withLabels, setLabel, setRoute, counters } = hotspan;

const sleep = () => new Promise((resolve) => setTimeout(resolve, 1));

test('a value is the context of all that is started with it', async () => {
  const own = new (class Own {})();
  assert.equal(getContext(), undefined);
  const sum = await runWithContext(own, async (a, b) => {
    await sleep();
    assert.equal(getContext(), own);
    return a + b;
  }, 1, 2);
  assert.equal(sum, 3);
  assert.equal(getContext(), undefined);
});

test('contexts are within contexts', async () => {
  const [a, b] = [{ route: '/a' }, { route: '/b' }];
  await runWithContext(a, async () => {
    await Promise.all([sleep().then(() => assert.equal(getContext(), a)), runWithContext(b, sleep)]);
    runWithContext(undefined, () => assert.equal(getContext(), undefined));
    enterWithContext(b);
    await sleep();
    assert.equal(getContext(), b);
  });
});

test('other storages keep what they have got', async () => {
  const other = new AsyncLocalStorage();
  const outer = { route: '/outer' };
  await runWithContext(outer, async () => {
    other.enterWith(1);
    runWithContext({}, () => other.enterWith(2));
    assert.deepEqual([other.getStore(), getContext()], [2, outer]);
    runWithContext({}, () => other.run(3, () => assert.deepEqual([other.getStore(), getContext()], [3, {}])));
    assert.deepEqual([other.getStore(), getContext()], [2, outer]);
    const later = runWithContext({ route: '/inner' }, async () => {
      await sleep();
      other.enterWith(4);
      return getContext();
    });
    assert.deepEqual([await later, other.getStore()], [{ route: '/inner' }, 2]);
    assert.throws(() => runWithContext({}, () => {
      other.enterWith(5);
      throw new Error('mine');
    }), /mine/);
    assert.deepEqual([other.getStore(), getContext()], [5, outer]);
  });
  runWithContext({}, () => other.enterWith(6));
  assert.deepEqual([other.getStore(), getContext()], [6, undefined]);
});

test('an error comes out', () => {
  assert.throws(() => runWithContext({}, () => { throw new Error('mine'); }), /mine/);
  assert.equal(getContext(), undefined);
});

test('withLabels adds to what is current', () => {
  runWithContext({ traceId: 'f'.repeat(32), labels: { a: 1, b: 2 } }, () => {
    setLabel('c', 3);
    withLabels({ b: 4 }, () => {
      assert.deepEqual(getContext(), { traceId: 'f'.repeat(32), labels: { a: 1, b: 4, c: 3 } });
    });
  });
  withLabels({ a: 1 }, () => assert.deepEqual(getContext(), { labels: { a: 1 } }));
});

test('any value is a context, and has no fields', () => {
  for (const value of [null, 'text', 7, true, Symbol('s'), () => {}, [1]]) {
    runWithContext(value, () => {
      assert.equal(getContext(), value);
      assert.deepEqual(inside(), {});
      withLabels({ a: 1 }, () => assert.deepEqual(inside(), { a: '1' }));
      if (typeof value === 'string') withLabels({}, () => assert.deepEqual(getContext(), { labels: {} }));
      setLabel('b', 2);
      assert.deepEqual(inside(), { b: '2' });
      withLabels({ a: 1 }, () => assert.deepEqual(inside(), { a: '1', b: '2' }));
    });
  }
});

test('setLabel and setRoute change a context for all that share it', async () => {
  assert.equal(setLabel('a', 1), false);
  await runWithContext({ labels: { a: 1 } }, async () => {
    const later = sleep().then(() => inside());
    assert.equal(setLabel('a', 2), true);
    setRoute('/x');
    setRoute('/y');
    assert.deepEqual(inside(), { a: '2', 'http.route': '/y' });
    assert.deepEqual(await later, { a: '2', 'http.route': '/y' });
  });
});

test('what is published', () => {
  const ids = { traceId: '0123456789abcdef0123456789ABCDEF', spanId: '0123456789abcdef' };
  const labels = { s: 'x', n: 1.5, b: false, none: undefined, object: {}, empty: '', 東京: 'ü' };
  const want = { trace_id: ids.traceId.toLowerCase(), span_id: ids.spanId, 'http.route': '/x', s: 'x', n: '1.5',
    b: 'false', 東京: 'ü' };
  runWithContext({ ...ids, traceFlags: 1, route: '/x', labels }, () => assert.deepEqual(inside(), want));
  runWithContext({}, () => assert.deepEqual(inside(), {}));
  runWithContext(new Date(), () => assert.deepEqual(inside(), {}));
});

test('what does not fit is cut at a character, and counted', () => {
  const { cut, dropped } = { ...counters };
  runWithContext({ labels: { a: 'ü'.repeat(200) } }, () => assert.equal(inside().a, 'ü'.repeat(127)));
  const fits = { a: 'x'.repeat(255), b: 'y' };
  runWithContext({ labels: fits }, () => assert.deepEqual(inside(), fits));
  assert.equal(counters.cut, cut + 1);
  const many = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`k${i}`, 'x'.repeat(250)]));
  runWithContext({ labels: many }, () => assert.equal(Object.keys(inside()).length, record ? 3 : 2));
  assert.ok(counters.dropped > dropped);
  const before = counters.dropped;
  runWithContext({ traceId: 'xyz', spanId: 'g'.repeat(16) }, () => assert.deepEqual(inside(), {}));
  runWithContext({ traceId: '\u0131'.repeat(32) }, () => assert.deepEqual(inside(), {}));
  assert.equal(counters.dropped, before + 3);
});

test('a number that does not fit is counted, and its value not held', () => {
  const held = lib('storage.js').keep(); // as while a profile is being taken
  const small = { labels: { a: 'x' } };
  const large = { labels: record ? { a: 'x'.repeat(202), b: 'x'.repeat(202), c: 'x'.repeat(202) }
    : { a: 'x'.repeat(253), b: 'x'.repeat(253) } };
  const before = { ...counters };
  const number = runWithContext(small, () => inside()['hotspan.context']);
  runWithContext(large, () => assert.deepEqual(inside(), large.labels));
  assert.deepEqual({ ...counters }, { ...before, unheld: before.unheld + 1 });
  if (!record) {
    const [thread, last] = number.split('.').map(Number);
    const valueOf = held.snapshot();
    assert.deepEqual([valueOf(number), valueOf(`${thread}.${last + 1}`)], [small, undefined]);
    runWithContext(small, () => {
      setLabel('b', 'x'.repeat(255));
      assert.equal(inside()['hotspan.context'], `${thread}.${last + 2}`);
      setLabel('c', 'x'.repeat(240));
      setLabel('c', 'x');
      assert.equal(inside()['hotspan.context'], undefined);
    });
    assert.equal(counters.unheld, before.unheld + 2);
  }
  held.end();
});

test('more keys than there are numbers', { skip: !record && 'texts have no numbers' }, () => {
  for (let i = 0; i < 300; i++) {
    runWithContext({ labels: { [`key ${i}`]: 'x' } }, () => {
      const there = inside();
      assert.ok(Object.keys(there).length === 0 || there[`key ${i}`] === 'x');
    });
  }
});

test('modules of both kinds have the same', async () => {
  const es = await import('hotspan');
  assert.equal(es.default, hotspan);
  for (const name of Object.keys(hotspan)) assert.equal(es[name], hotspan[name], name);
});
