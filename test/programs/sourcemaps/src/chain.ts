// Functions of different make, each of which calls the next: what a minifier gives new names to, and what it does not.

import { spinNumbers } from './leaf';

type Turns = number;

class Account {
  private calls = 0;

  settle(turns: Turns): number {
    this.calls++;
    return 1 + spinNumbers(turns);
  }
}

const account = new Account();

class Ledger {
  readonly total: number;

  constructor(turns: Turns) {
    const before = '}'; this.total = account.settle(turns) + before.length;
  }
}

const weighOrder = function (turns: Turns): number {
  const ledger = new Ledger(turns);
  return ledger.total ^ 3;
};

function* eachOrder(turns: Turns): Generator<number> {
  yield weighOrder(turns);
}

export function priceBasket(turns: Turns): number {
  let price = 0;
  for (const weight of eachOrder(turns)) price += weight;
  return price | 0;
}
