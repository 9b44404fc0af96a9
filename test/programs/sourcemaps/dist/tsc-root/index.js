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
//# sourceMappingURL=index.js.map