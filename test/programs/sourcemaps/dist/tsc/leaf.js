"use strict";
// The end of the chain burns CPU, or, for a negative number of turns, reports the stack that it is in.
Object.defineProperty(exports, "__esModule", { value: true });
exports.spinNumbers = exports.report = void 0;
exports.report = { stack: '' };
const spinNumbers = (turns) => {
    if (turns < 0)
        exports.report.stack = new Error('here').stack ?? '';
    let mixed = turns | 0;
    for (let turn = 0; turn < turns; turn++) {
        mixed = Math.imul(mixed, 1664525);
        mixed = (mixed + turn) | 0;
        if (mixed === 7) {
            mixed ^= turn;
        }
    }
    return mixed;
};
exports.spinNumbers = spinNumbers;
//# sourceMappingURL=leaf.js.map