// burst runs the chain for about the given time. The call of the chain is in one place only.

import { priceBasket } from './chain';
export { report } from './leaf';

declare const performance: { now(): number };
declare const process: { hrtime: { bigint(): bigint } };

export interface Burst {
  start: bigint;
  end: bigint;
  sum: number;
}

export function burst(milliseconds: number, turns: number = 200000): Burst {
  const deadline: number = performance.now() + milliseconds;
  const start = process.hrtime.bigint();
  let sum = 0;
  do {
    sum ^= priceBasket(turns);
  } while (turns > 0 && performance.now() < deadline);
  return { start, end: process.hrtime.bigint(), sum };
}
