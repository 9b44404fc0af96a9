import { runWithContext, withLabels, setRoute, setLabel, counters, form, getContext } from 'hotspan';
import express = require('hotspan/express');
import fastify = require('hotspan/fastify');

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
export { sum, later, there, how, express, fastify };
