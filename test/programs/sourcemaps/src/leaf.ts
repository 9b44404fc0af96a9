// The end of the chain burns CPU, or, for a negative number of turns, reports the stack that it is in.

export interface Report {
  stack: string;
}

export const report: Report = { stack: '' };

export const spinNumbers = (turns: number): number => {
  if (turns < 0) report.stack = new Error('here').stack ?? '';
  let mixed: number = turns | 0;
  for (let turn = 0; turn < turns; turn++) {
    mixed = Math.imul(mixed, 1664525);
    mixed = (mixed + turn) | 0;
    if (mixed === 7) {
      mixed ^= turn;
    }
  }
  return mixed;
};
