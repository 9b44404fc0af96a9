import {el} from "./dom.js"
import {points} from "./format.js"

// changeCell is the cell of a table with a difference of shares, which is pale if it may be chance.
export function changeCell({difference, certain}, also = "") {
    const judged = certain ? difference > 0 ? "worse" : "better" : "chance"
    return el("td", {class: `number ${judged} ${also}`, title: certain ? "points of share" : "may be chance"},
        points(difference))
}
