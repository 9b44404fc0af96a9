"use strict";
// The end of the chain burns CPU between two readings of the clock, of which it reports both, or, for a negative number
// of turns, the stack that it is in. It reads the clock itself: what has to wait before or after its call is no part of
// the interval.
Object.defineProperty(exports, "__esModule", { value: true });
exports.spinNumbers = exports.report = void 0;
exports.report = { start: 0n, end: 0n, stack: '' };
const spinNumbers = (turns) => {
    if (turns < 0)
        exports.report.stack = new Error('here').stack ?? '';
    exports.report.start = process.hrtime.bigint();
    let mixed = turns | 0;
    for (let turn = 0; turn < turns; turn++) {
        mixed = Math.imul(mixed, 1664525);
        mixed = (mixed + turn) | 0;
        if (mixed === 7) {
            mixed ^= turn;
        }
    }
    exports.report.end = process.hrtime.bigint();
    return mixed;
};
exports.spinNumbers = spinNumbers;
//# sourceMappingURL=leaf.js.map