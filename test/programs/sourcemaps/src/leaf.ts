// The end of the chain burns CPU between two readings of the clock, of which it reports both, or, for a negative number
// of turns, the stack that it is in. It reads the clock itself: what has to wait before or after its call is no part of
// the interval.

declare const process: { hrtime: { bigint(): bigint } };

export interface Report {
  start: bigint;
  end: bigint;
  stack: string;
}

export const report: Report = { start: 0n, end: 0n, stack: '' };

export const spinNumbers = (turns: number): number => {
  if (turns < 0) report.stack = new Error('here').stack ?? '';
  report.start = process.hrtime.bigint();
  let mixed: number = turns | 0;
  for (let turn = 0; turn < turns; turn++) {
    mixed = Math.imul(mixed, 1664525);
    mixed = (mixed + turn) | 0;
    if (mixed === 7) {
      mixed ^= turn;
    }
  }
  report.end = process.hrtime.bigint();
  return mixed;
};
