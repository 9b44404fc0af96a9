"use strict";
// burst runs the chain once.
Object.defineProperty(exports, "__esModule", { value: true });
exports.report = void 0;
exports.burst = burst;
const chain_1 = require("./chain");
var leaf_1 = require("./leaf");
Object.defineProperty(exports, "report", { enumerable: true, get: function () { return leaf_1.report; } });
function burst(turns) {
    return (0, chain_1.priceBasket)(turns);
}
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiaW5kZXguanMiLCJzb3VyY2VSb290IjoiIiwic291cmNlcyI6WyIuLi8uLi9zcmMvaW5kZXgudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IjtBQUFBLDZCQUE2Qjs7O0FBSzdCLHNCQUVDO0FBTEQsbUNBQXNDO0FBQ3RDLCtCQUFnQztBQUF2Qiw4RkFBQSxNQUFNLE9BQUE7QUFFZixTQUFnQixLQUFLLENBQUMsS0FBYTtJQUNqQyxPQUFPLElBQUEsbUJBQVcsRUFBQyxLQUFLLENBQUMsQ0FBQztBQUM1QixDQUFDIn0=