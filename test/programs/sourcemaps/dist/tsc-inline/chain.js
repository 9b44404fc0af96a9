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
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiY2hhaW4uanMiLCJzb3VyY2VSb290IjoiIiwic291cmNlcyI6WyIuLi8uLi9zcmMvY2hhaW4udHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IjtBQUFBLHVIQUF1SDs7QUFrQ3ZILGtDQUlDO0FBcENELGlDQUFxQztBQUlyQyxNQUFNLE9BQU87SUFDSCxLQUFLLEdBQUcsQ0FBQyxDQUFDO0lBRWxCLE1BQU0sQ0FBQyxLQUFZO1FBQ2pCLElBQUksQ0FBQyxLQUFLLEVBQUUsQ0FBQztRQUNiLE9BQU8sQ0FBQyxHQUFHLElBQUEsa0JBQVcsRUFBQyxLQUFLLENBQUMsQ0FBQztJQUNoQyxDQUFDO0NBQ0Y7QUFFRCxNQUFNLE9BQU8sR0FBRyxJQUFJLE9BQU8sRUFBRSxDQUFDO0FBRTlCLE1BQU0sTUFBTTtJQUNELEtBQUssQ0FBUztJQUV2QixZQUFZLEtBQVk7UUFDdEIsTUFBTSxNQUFNLEdBQUcsR0FBRyxDQUFDO1FBQUMsSUFBSSxDQUFDLEtBQUssR0FBRyxPQUFPLENBQUMsTUFBTSxDQUFDLEtBQUssQ0FBQyxHQUFHLE1BQU0sQ0FBQyxNQUFNLENBQUM7SUFDekUsQ0FBQztDQUNGO0FBRUQsTUFBTSxVQUFVLEdBQUcsVUFBVSxLQUFZO0lBQ3ZDLE1BQU0sTUFBTSxHQUFHLElBQUksTUFBTSxDQUFDLEtBQUssQ0FBQyxDQUFDO0lBQ2pDLE9BQU8sTUFBTSxDQUFDLEtBQUssR0FBRyxDQUFDLENBQUM7QUFDMUIsQ0FBQyxDQUFDO0FBRUYsUUFBUSxDQUFDLENBQUMsU0FBUyxDQUFDLEtBQVk7SUFDOUIsTUFBTSxVQUFVLENBQUMsS0FBSyxDQUFDLENBQUM7QUFDMUIsQ0FBQztBQUVELFNBQWdCLFdBQVcsQ0FBQyxLQUFZO0lBQ3RDLElBQUksS0FBSyxHQUFHLENBQUMsQ0FBQztJQUNkLEtBQUssTUFBTSxNQUFNLElBQUksU0FBUyxDQUFDLEtBQUssQ0FBQztRQUFFLEtBQUssSUFBSSxNQUFNLENBQUM7SUFDdkQsT0FBTyxLQUFLLEdBQUcsQ0FBQyxDQUFDO0FBQ25CLENBQUMifQ==