"use strict";
// burst runs the chain once, between two readings of the clock: nothing else comes between them.
Object.defineProperty(exports, "__esModule", { value: true });
exports.report = void 0;
exports.burst = burst;
const chain_1 = require("./chain");
var leaf_1 = require("./leaf");
Object.defineProperty(exports, "report", { enumerable: true, get: function () { return leaf_1.report; } });
function burst(turns) {
    const start = process.hrtime.bigint();
    const sum = (0, chain_1.priceBasket)(turns);
    const end = process.hrtime.bigint();
    return { start, end, sum };
}
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiaW5kZXguanMiLCJzb3VyY2VSb290IjoiIiwic291cmNlcyI6WyIuLi8uLi9zcmMvaW5kZXgudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IjtBQUFBLGlHQUFpRzs7O0FBYWpHLHNCQUtDO0FBaEJELG1DQUFzQztBQUN0QywrQkFBZ0M7QUFBdkIsOEZBQUEsTUFBTSxPQUFBO0FBVWYsU0FBZ0IsS0FBSyxDQUFDLEtBQWE7SUFDakMsTUFBTSxLQUFLLEdBQUcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxNQUFNLEVBQUUsQ0FBQztJQUN0QyxNQUFNLEdBQUcsR0FBRyxJQUFBLG1CQUFXLEVBQUMsS0FBSyxDQUFDLENBQUM7SUFDL0IsTUFBTSxHQUFHLEdBQUcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxNQUFNLEVBQUUsQ0FBQztJQUNwQyxPQUFPLEVBQUUsS0FBSyxFQUFFLEdBQUcsRUFBRSxHQUFHLEVBQUUsQ0FBQztBQUM3QixDQUFDIn0=