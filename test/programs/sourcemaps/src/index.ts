// burst runs the chain once.

import { priceBasket } from './chain';
export { report } from './leaf';

export function burst(turns: number): number {
  return priceBasket(turns);
}
