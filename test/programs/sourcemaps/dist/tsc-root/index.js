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
//# sourceMappingURL=index.js.map