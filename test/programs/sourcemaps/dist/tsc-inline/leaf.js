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
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoibGVhZi5qcyIsInNvdXJjZVJvb3QiOiIiLCJzb3VyY2VzIjpbIi4uLy4uL3NyYy9sZWFmLnRzIl0sIm5hbWVzIjpbXSwibWFwcGluZ3MiOiI7QUFBQSx3SEFBd0g7QUFDeEgsd0hBQXdIO0FBQ3hILGdCQUFnQjs7O0FBVUgsUUFBQSxNQUFNLEdBQVcsRUFBRSxLQUFLLEVBQUUsRUFBRSxFQUFFLEdBQUcsRUFBRSxFQUFFLEVBQUUsS0FBSyxFQUFFLEVBQUUsRUFBRSxDQUFDO0FBRXpELE1BQU0sV0FBVyxHQUFHLENBQUMsS0FBYSxFQUFVLEVBQUU7SUFDbkQsSUFBSSxLQUFLLEdBQUcsQ0FBQztRQUFFLGNBQU0sQ0FBQyxLQUFLLEdBQUcsSUFBSSxLQUFLLENBQUMsTUFBTSxDQUFDLENBQUMsS0FBSyxJQUFJLEVBQUUsQ0FBQztJQUM1RCxjQUFNLENBQUMsS0FBSyxHQUFHLE9BQU8sQ0FBQyxNQUFNLENBQUMsTUFBTSxFQUFFLENBQUM7SUFDdkMsSUFBSSxLQUFLLEdBQVcsS0FBSyxHQUFHLENBQUMsQ0FBQztJQUM5QixLQUFLLElBQUksSUFBSSxHQUFHLENBQUMsRUFBRSxJQUFJLEdBQUcsS0FBSyxFQUFFLElBQUksRUFBRSxFQUFFLENBQUM7UUFDeEMsS0FBSyxHQUFHLElBQUksQ0FBQyxJQUFJLENBQUMsS0FBSyxFQUFFLE9BQU8sQ0FBQyxDQUFDO1FBQ2xDLEtBQUssR0FBRyxDQUFDLEtBQUssR0FBRyxJQUFJLENBQUMsR0FBRyxDQUFDLENBQUM7UUFDM0IsSUFBSSxLQUFLLEtBQUssQ0FBQyxFQUFFLENBQUM7WUFDaEIsS0FBSyxJQUFJLElBQUksQ0FBQztRQUNoQixDQUFDO0lBQ0gsQ0FBQztJQUNELGNBQU0sQ0FBQyxHQUFHLEdBQUcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxNQUFNLEVBQUUsQ0FBQztJQUNyQyxPQUFPLEtBQUssQ0FBQztBQUNmLENBQUMsQ0FBQztBQWJXLFFBQUEsV0FBVyxlQWF0QiJ9