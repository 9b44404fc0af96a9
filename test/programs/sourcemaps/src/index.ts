// burst runs the chain once, between two readings of the clock: nothing else comes between them.

import { priceBasket } from './chain';
export { report } from './leaf';

declare const process: { hrtime: { bigint(): bigint } };

export interface Burst {
  start: bigint;
  end: bigint;
  sum: number;
}

export function burst(turns: number): Burst {
  const start = process.hrtime.bigint();
  const sum = priceBasket(turns);
  const end = process.hrtime.bigint();
  return { start, end, sum };
}
