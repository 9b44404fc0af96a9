import {lostSum} from "./about_view.js"
import {button, el, replace} from "./dom.js"
import {clean, count, cpu, duration, share} from "./format.js"
import {shownName} from "./dimensions.js"

// header is the head of the page: what was recorded, and what was lost.
export function header(profile, store) {
    const {Period, Processes} = profile.header, {all, by} = lostSum(profile.header)
    const services = [...new Set(Processes.map(p => p.service ?? "").filter(name => name !== ""))].map(clean)
    const {LeftOut} = profile.header, left = LeftOut.Samples, taken = profile.length + all + left
    const parts = LeftOut.Stacks + LeftOut.IDs + LeftOut.Labels
    const reasons = [...by].filter(([, n]) => n > 0).map(([reason, n]) => `${reason} ${count(n)}`)
    document.title = [...services, "hotspan"].join(" – ")
    return el("header", {}, el("h1", {}, services.length > 0 ? services.join(", ") : "CPU profile"),
        el("p", {class: "facts"},
            profile.parts.map(({name, from, to}) => el("span", {}, name === "" ? null : el("b", {}, `${name}: `),
                `${profile.date(from)} ${profile.clock(from, 1e6)} UTC, ${
                    duration(Math.min(to, profile.duration) - from)}`)),
            el("span", {}, `${cpu(profile.length, Period)} of CPU in ${count(profile.length)} samples`),
            el("span", {}, `${Math.round(1e9 / Period)} a second on each CPU`),
            button((all + left === 0 ? "none lost" : `${count(all + left)} lost (${share(all + left, taken)})`) +
                (parts > 0 ? `, of ${count(parts)} a part` : ""), () => store.set({view: "about"}), {
                class: all + left + parts === 0 ? "lost none" : "lost", id: "lost", title: reasons.join(", "),
            })))
}

// Summary says what is selected, and has the filters and the search.
export class Summary {
    constructor(analysis, store) {
        Object.assign(this, {analysis, store, profile: analysis.profile})
        this.said = el("p", {id: "selection", role: "status", "aria-live": "polite"})
        this.chips = el("div", {class: "chips"})
        this.input = el("input", {
            type: "search", id: "search", placeholder: "Search functions and files  ( / )", "aria-label": "Search",
            spellcheck: "false", autocomplete: "off",
            oninput: () => store.set({search: this.input.value}, true),
            onchange: () => store.set({search: this.input.value}),
        })
        this.element = el("div", {class: "summary-bar"}, this.said, this.chips, this.input)
    }

    show(state) {
        const {a, b} = this.analysis.select(state)
        if (this.input.value !== state.search) {
            this.input.value = state.search
        }
        replace(this.said, b ? [this.side("A", a, "a"), el("br"), this.side("B", b, "b")] : this.side("", a, ""))
        replace(this.chips, state.older > 0 ? this.chip(`request: ${count(state.older)} ms or more`, "older",
            () => this.store.set({older: 0})) : null, [...state.filters].flatMap(([id, names]) => {
            const dimension = this.analysis.dimension(id), title = clean(dimension?.title ?? id)
            return [...names].map(name => this.chip(`${title}: ${clean(dimension ? shownName(dimension, name) : name)}`,
                `${id} ${name}`, () => this.remove(id, name)))
        }), state.filters.size + (state.older > 0) > 1 ? button("Remove all filters",
            () => this.store.set({filters: new Map(), older: 0}), {"data-key": "no filters"}) : null)
    }

    chip(text, key, remove) {
        return button([text, el("span", {"aria-hidden": "true"}, " ×")], remove, {
            class: "chip", "aria-label": `Remove the filter ${text}`, "data-key": `chip ${key}`,
        })
    }

    side(name, {total, range}, key) {
        const {Period} = this.profile.header, [from, to] = range ?? [0, this.profile.duration]
        const part = range && this.profile.partAt(from)
        const whose = part && part.name !== "" && to <= part.to ? `(${part.name}) ` : ""
        const recorded = this.profile.recorded(range), cpus = recorded > 0 ? total * Period / 1000 / recorded : 0
        const gaps = recorded < 0.99 * (to - from) ? `, ${duration(recorded)} of it recorded` : ""
        return el("span", {class: key, "data-samples": String(total)},
            name === "" ? "" : el("b", {}, `${name} `), whose, el("strong", {}, `${cpu(total, Period)} of CPU`),
            `, ${share(total, this.profile.length)} of all, in ${count(total)} samples · ${range
                ? `${this.profile.clock(from, 1000)} to ${this.profile.clock(to, 1000)} UTC` : "whole time"}, ${
                duration(to - from)}${gaps} · ${cpus.toFixed(2)} CPUs`)
    }

    remove(id, name) {
        const filters = new Map(this.store.state.filters), names = new Set(filters.get(id))
        names.delete(name)
        filters.delete(id)
        if (names.size > 0) {
            filters.set(id, names)
        }
        this.store.set({filters})
    }
}
