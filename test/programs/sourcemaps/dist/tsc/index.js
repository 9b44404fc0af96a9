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
//# sourceMappingURL=index.js.map