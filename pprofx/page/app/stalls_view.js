import {button, el} from "./dom.js"
import {clean, count, duration, place} from "./format.js"

// How many routes and functions a row names.
const named = 3

// StallsView lists the longest turns of event loops. One that is chosen becomes range A.
export class StallsView {
    constructor(analysis, store) {
        Object.assign(this, {profile: analysis.profile, store})
        const {Stalls, MoreStalls, Loops} = this.profile.header, all = (Stalls?.length ?? 0) + MoreStalls
        this.element = el("div", {class: "stalls"}, el("p", {class: "hint"}, Loops === 0
            ? "The turns of event loops are not known: libuv counts them in Node 20.3 and later."
            : `Turns of event loops that took 50 ms or more, the longest first: ${count(all)}. Only what ran on a ` +
                "CPU was sampled: a turn that waits, as for a file, is as long as from its first sample to its last."))
        if (Stalls) {
            this.element.append(this.table(Stalls), MoreStalls > 0 ? `and ${count(MoreStalls)} shorter ones` : "")
        }
    }

    show({a}) {
        const chosen = a ? a.join() : ""
        for (const row of this.element.querySelectorAll("[data-range]")) {
            row.setAttribute("aria-pressed", String(row.dataset.range === chosen))
        }
    }

    table(stalls) {
        const head = ["began", "took", "samples", "routes", "calls in common", "then", "thread"]
        return el("div", {class: "scroll"}, el("table", {class: "plain"},
            el("thead", {}, el("tr", {}, head.map((text, i) =>
                el("th", {scope: "col", class: i === 1 || i === 2 ? "number" : null}, text)))),
            el("tbody", {}, stalls.map(stall => this.row(stall)))))
    }

    row(stall) {
        const {Start, Period} = this.profile.header, from = Math.max(0, Math.floor(stall.start / 1000 - Start))
        const to = Math.ceil(from + (stall.length - Period) / 1000) + 2, range = [from, to]
        const routes = new Set(stall.requests.map(({route}) => route || "(no route)"))
        const last = stall.path?.at(-1)
        return el("tr", {},
            el("th", {scope: "row"}, button(this.profile.clock(from, 1000),
                () => this.store.set({a: range, b: null, view: "flame", zoom: []}),
                {class: "name", "data-range": range.join(), "data-key": `stall ${range}`})),
            el("td", {class: "number"}, duration(stall.length / 1000)),
            el("td", {class: "number"}, count(stall.samples)),
            el("td", {}, list([...routes])),
            el("td", {}, (stall.path ?? []).slice(-named).map(({name}) => clean(name)).join(" › "), " ",
                el("span", {class: "file"}, last ? place(last.file ?? "", 0) : "")),
            el("td", {}, list((stall.calls ?? []).map(({name}) => name))),
            el("td", {}, `${clean(stall.thread)} ${stall.tid}`))
    }
}

function list(names) {
    const more = names.length - named
    return names.slice(0, named).map(clean).join(", ") + (more > 0 ? ` and ${count(more)} more` : "")
}
