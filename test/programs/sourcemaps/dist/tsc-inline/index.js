"use strict";
// burst runs the chain for about the given time. The call of the chain is in one place only.
Object.defineProperty(exports, "__esModule", { value: true });
exports.report = void 0;
exports.burst = burst;
const chain_1 = require("./chain");
var leaf_1 = require("./leaf");
Object.defineProperty(exports, "report", { enumerable: true, get: function () { return leaf_1.report; } });
function burst(milliseconds, turns = 200000) {
    const deadline = performance.now() + milliseconds;
    const start = process.hrtime.bigint();
    let sum = 0;
    do {
        sum ^= (0, chain_1.priceBasket)(turns);
    } while (turns > 0 && performance.now() < deadline);
    return { start, end: process.hrtime.bigint(), sum };
}
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiaW5kZXguanMiLCJzb3VyY2VSb290IjoiIiwic291cmNlcyI6WyIuLi8uLi9zcmMvaW5kZXgudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IjtBQUFBLDZGQUE2Rjs7O0FBYzdGLHNCQVFDO0FBcEJELG1DQUFzQztBQUN0QywrQkFBZ0M7QUFBdkIsOEZBQUEsTUFBTSxPQUFBO0FBV2YsU0FBZ0IsS0FBSyxDQUFDLFlBQW9CLEVBQUUsUUFBZ0IsTUFBTTtJQUNoRSxNQUFNLFFBQVEsR0FBVyxXQUFXLENBQUMsR0FBRyxFQUFFLEdBQUcsWUFBWSxDQUFDO0lBQzFELE1BQU0sS0FBSyxHQUFHLE9BQU8sQ0FBQyxNQUFNLENBQUMsTUFBTSxFQUFFLENBQUM7SUFDdEMsSUFBSSxHQUFHLEdBQUcsQ0FBQyxDQUFDO0lBQ1osR0FBRyxDQUFDO1FBQ0YsR0FBRyxJQUFJLElBQUEsbUJBQVcsRUFBQyxLQUFLLENBQUMsQ0FBQztJQUM1QixDQUFDLFFBQVEsS0FBSyxHQUFHLENBQUMsSUFBSSxXQUFXLENBQUMsR0FBRyxFQUFFLEdBQUcsUUFBUSxFQUFFO0lBQ3BELE9BQU8sRUFBRSxLQUFLLEVBQUUsR0FBRyxFQUFFLE9BQU8sQ0FBQyxNQUFNLENBQUMsTUFBTSxFQUFFLEVBQUUsR0FBRyxFQUFFLENBQUM7QUFDdEQsQ0FBQyJ9