import { runWithContext, withLabels, setRoute, setLabel, counters, form, getContext, startProfile } from 'hotspan';
import express = require('hotspan/express');
import fastify = require('hotspan/fastify');
import hono = require('hotspan/hono');
import koa = require('hotspan/koa');
import worker = require('hotspan/worker');

const sum: number = runWithContext({ traceId: 'a', labels: { tenant: 'x', n: 1, b: true } }, (a, b) => a + b, 1, 2);
const later: Promise<string> = withLabels({ tenant: 'x' }, async () => 'x');
const there: boolean = setRoute('/x') && setLabel('n', 1);
const own = new (class Own {})();
runWithContext(own, () => getContext() === own);
runWithContext(undefined, () => {});
const how: 'record' | 'text' = form;
// @ts-expect-error a label is no object
withLabels({ tenant: {} }, () => {});
// @ts-expect-error counters are not the caller's to change
counters.cut = 0;
const stack: Promise<string[]> = startProfile({ frequency: 99, spawn: true })
  .then((session) => session.stopAndCapture())
  .then((profile) => [...profile.samples()].map((sample) => sample.stack[0].function));
// @ts-expect-error there is no such option
startProfile({ interval: 10 });
const processor: (job: { name: string }, token: string) => Promise<number> =
  worker(async (job: { name: string }, token: string) => job.name.length + token.length, { queue: 'mail' });
export { processor, sum, later, there, how, stack, express, fastify, hono, koa };
