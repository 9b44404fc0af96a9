// The state of the page, which its address has behind the #, so that a copied link shows the same.
//
//     by                dimension of the rows over time
//     a, b              ranges of time in µs since the start, or null
//     window            the time that is shown, or null for all of it
//     filters           names of values by dimension
//     older             only samples of requests that had run for so many ms by then; 0: all
//     view              flame, functions, traces, stalls or about
//     merge             function or line
//     frames            all, or js for those of JavaScript
//     reverse           whether leaves are at the top
//     colour            kind, tier, or a dimension
//     search            part of the names of functions or files
//     zoom              keys of the path to the frame that is as wide as the graph
//     trace             the trace that is shown
//     sort              column of the table of functions

const initial = {
    by: "label:http.route", a: null, b: null, window: null, filters: new Map(), older: 0, view: "flame",
    merge: "function", frames: "all", reverse: false, colour: "kind", search: "", zoom: [], trace: "", sort: "own",
}

const plain = ["by", "view", "merge", "frames", "colour", "search", "trace", "sort"]

// parse reads the state from a fragment: what differs from the first state. What is not a state is left out.
function parse(fragment, first) {
    const state = {...first, filters: new Map()}, from = new URLSearchParams(fragment.replace(/^#/, ""))
    for (const name of plain) {
        state[name] = from.get(name) ?? state[name]
    }
    for (const name of ["a", "b", "window"]) {
        state[name] = from.has(name) ? range(from.get(name)) : first[name]
    }
    state.older = milliseconds(from.get("older"))
    state.reverse = from.get("reverse") === "1"
    state.zoom = (from.get("zoom") ?? "").split(".").filter(key => /^\d+$/.test(key)).map(Number)
    for (const filter of from.getAll("filter")) {
        const [id, name] = split(filter)
        state.filters.set(id, new Set([...state.filters.get(id) ?? [], name]))
    }
    return state
}

// A filter is the dimension, encoded so that it has no "=", then "=" and the name.
function split(filter) {
    const at = filter.indexOf("=")
    try {
        return [decodeURIComponent(filter.slice(0, at)), filter.slice(at + 1)]
    } catch {
        return ["", ""] // nothing has this dimension
    }
}

function range(text) {
    const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "")
    const [from, to] = found ? [Number(found[1]) * 1e6, Number(found[2]) * 1e6] : [0, 0]
    return to > from ? [Math.round(from), Math.round(to)] : null
}

// longest is more than any age on the page: see pprofx/page/ages.go.
const longest = 2 ** 31 - 1

// milliseconds reads a whole number from a text; it is 0 if the text has none that an age on the page can be.
export function milliseconds(text) {
    const number = Number(text)
    return Number.isInteger(number) && number > 0 && number < longest ? number : 0
}

// fragment is what parse reads.
function fragment(state, first) {
    const to = new URLSearchParams()
    for (const name of plain) {
        if (state[name] !== first[name]) {
            to.set(name, state[name])
        }
    }
    for (const name of ["a", "b", "window"]) {
        if (String(state[name]) !== String(first[name])) {
            to.set(name, (state[name] ?? []).map(time => String(Math.round(time) / 1e6)).join("-"))
        }
    }
    if (state.older > 0) {
        to.set("older", state.older)
    }
    if (state.reverse) {
        to.set("reverse", "1")
    }
    if (state.zoom.length > 0) {
        to.set("zoom", state.zoom.join("."))
    }
    for (const [id, names] of state.filters) {
        for (const name of names) {
            to.append("filter", `${id.replace(/[%=]/g, encodeURIComponent)}=${name}`)
        }
    }
    return "#" + to.toString()
}

// Store has the state, and tells listeners which parts of it have changed.
export class Store {
    constructor(first) {
        this.first = {...initial, ...first}
        this.state = parse(location.hash, this.first)
        this.listeners = []
        this.passing = false
        addEventListener("hashchange", () => {
            if (location.hash !== fragment(this.state, this.first)) {
                this.become(parse(location.hash, this.first))
            }
        })
    }

    // set changes parts of the state. Each change is a step to which the browser goes back. Those that are passing,
    // while something is dragged or typed, are one step.
    set(changes, passing = false) {
        const next = {...this.state, ...changes}
        const before = fragment(this.state, this.first), address = fragment(next, this.first)
        if (this.passing) {
            history.replaceState(null, "", address)
        } else if (address !== before) {
            history.pushState(null, "", address)
        }
        this.passing = passing
        this.become(next)
    }

    become(next) {
        this.state = next
        this.listeners.forEach(listener => listener(next))
    }

    // filter chooses a value of a dimension, or no longer if it was the only one. With add, values add up.
    filter(id, name, add = false) {
        const names = this.state.filters.get(id) ?? new Set()
        const chosen = new Set(add ? names : [])
        if (names.has(name) && (add || names.size === 1)) {
            chosen.delete(name)
        } else {
            chosen.add(name)
        }
        const filters = new Map(this.state.filters)
        filters.delete(id)
        if (chosen.size > 0) {
            filters.set(id, chosen)
        }
        this.set({filters})
    }
}
