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
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoibGVhZi5qcyIsInNvdXJjZVJvb3QiOiIiLCJzb3VyY2VzIjpbIi4uLy4uL3NyYy9sZWFmLnRzIl0sIm5hbWVzIjpbXSwibWFwcGluZ3MiOiI7QUFBQSx1R0FBdUc7OztBQU0xRixRQUFBLE1BQU0sR0FBVyxFQUFFLEtBQUssRUFBRSxFQUFFLEVBQUUsQ0FBQztBQUVyQyxNQUFNLFdBQVcsR0FBRyxDQUFDLEtBQWEsRUFBVSxFQUFFO0lBQ25ELElBQUksS0FBSyxHQUFHLENBQUM7UUFBRSxjQUFNLENBQUMsS0FBSyxHQUFHLElBQUksS0FBSyxDQUFDLE1BQU0sQ0FBQyxDQUFDLEtBQUssSUFBSSxFQUFFLENBQUM7SUFDNUQsSUFBSSxLQUFLLEdBQVcsS0FBSyxHQUFHLENBQUMsQ0FBQztJQUM5QixLQUFLLElBQUksSUFBSSxHQUFHLENBQUMsRUFBRSxJQUFJLEdBQUcsS0FBSyxFQUFFLElBQUksRUFBRSxFQUFFLENBQUM7UUFDeEMsS0FBSyxHQUFHLElBQUksQ0FBQyxJQUFJLENBQUMsS0FBSyxFQUFFLE9BQU8sQ0FBQyxDQUFDO1FBQ2xDLEtBQUssR0FBRyxDQUFDLEtBQUssR0FBRyxJQUFJLENBQUMsR0FBRyxDQUFDLENBQUM7UUFDM0IsSUFBSSxLQUFLLEtBQUssQ0FBQyxFQUFFLENBQUM7WUFDaEIsS0FBSyxJQUFJLElBQUksQ0FBQztRQUNoQixDQUFDO0lBQ0gsQ0FBQztJQUNELE9BQU8sS0FBSyxDQUFDO0FBQ2YsQ0FBQyxDQUFDO0FBWFcsUUFBQSxXQUFXLGVBV3RCIn0=