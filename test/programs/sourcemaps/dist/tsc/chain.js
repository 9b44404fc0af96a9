"use strict";
// Functions of different make, each of which calls the next: what a minifier gives new names to, and what it does not.
Object.defineProperty(exports, "__esModule", { value: true });
exports.priceBasket = priceBasket;
const leaf_1 = require("./leaf");
class Account {
    calls = 0;
    settle(turns) {
        this.calls++;
        return 1 + (0, leaf_1.spinNumbers)(turns);
    }
}
const account = new Account();
class Ledger {
    total;
    constructor(turns) {
        const before = '}';
        this.total = account.settle(turns) + before.length;
    }
}
const weighOrder = function (turns) {
    const ledger = new Ledger(turns);
    return ledger.total ^ 3;
};
function* eachOrder(turns) {
    yield weighOrder(turns);
}
function priceBasket(turns) {
    let price = 0;
    for (const weight of eachOrder(turns))
        price += weight;
    return price | 0;
}
//# sourceMappingURL=chain.js.map