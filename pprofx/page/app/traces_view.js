import {classBar} from "./class_bar.js"
import {button, el, replace} from "./dom.js"
import {clean, count, cpu, duration} from "./format.js"
import {shownName} from "./dimensions.js"
import {Lanes} from "./lanes.js"
import {groupsOf} from "./selection.js"
import {suggestRate, Trace} from "./trace.js"

const traceLabel = "label:trace_id", routeLabel = "label:http.route"
const shownTraces = 200

// TracesView lists the traces of the selection, and shows one of them by thread.
export class TracesView {
    constructor(analysis, store) {
        Object.assign(this, {analysis, store, profile: analysis.profile})
        this.dimension = analysis.dimension(traceLabel)
        this.list = el("div", {class: "list scroll"})
        this.one = el("div", {class: "one"})
        this.stack = el("ol", {class: "stack"})
        this.when = el("p", {class: "said", role: "status", "aria-live": "polite"})
        this.lanes = new Lanes(this.profile, row => this.showRow(row))
        this.element = el("div", {class: "traces"}, this.dimension ? [this.list, this.one]
            : el("p", {}, "No sample has a trace id. hotspan reads those of OpenTelemetry, dd-trace and Sentry."))
    }

    show(state) {
        if (!this.dimension) {
            return
        }
        const groups = groupsOf(this.dimension, this.analysis.groups(state, this.dimension, state.a))
            .filter(({value}) => value !== 0)
        const wanted = state.search.trim().toLowerCase()
        const found = wanted === "" ? groups : groups.filter(({value}) => this.dimension.name(value).includes(wanted))
        const listed = found.length > 0 ? found : groups
        this.showList(state, listed)
        this.showTrace(state.trace || (listed.length > 0 ? this.dimension.name(listed[0].value) : ""))
    }

    showList(state, groups) {
        const shown = groups.slice(0, shownTraces), routes = this.routes(shown)
        replace(this.list, el("table", {class: "groups"},
            el("caption", {}, `Traces of the selection, most CPU first: ${count(groups.length)}`),
            el("thead", {}, el("tr", {}, ["trace", "route", "samples", "CPU"].map((text, i) =>
                el("th", {scope: "col", class: i > 1 ? "number" : null}, text)))),
            el("tbody", {}, shown.map(({value, samples}) => {
                const id = this.dimension.name(value)
                return el("tr", {class: id === state.trace ? "chosen" : null},
                    el("th", {scope: "row"}, button(clean(id), () => this.store.set({trace: id}), {
                        class: "name id", "aria-pressed": String(id === state.trace), "data-key": `trace ${id}`,
                    })),
                    el("td", {}, clean(routes.get(value) ?? "")), el("td", {class: "number"}, count(samples)),
                    el("td", {class: "number"}, cpu(samples, this.profile.header.Period)))
            }))), groups.length > shownTraces ? el("p", {}, `and ${count(groups.length - shownTraces)} more`) : null)
    }

    // routes returns the route with most samples of each of some traces.
    routes(groups) {
        const {rows} = this.profile, route = this.analysis.dimension(routeLabel)
        const counts = new Map(groups.map(({value}) => [value, new Map()]))
        for (let i = 0; i < rows.set.length; i++) {
            const by = counts.get(this.dimension.column[rows.set[i]])
            if (by) {
                const value = route.column[rows.set[i]]
                by.set(value, (by.get(value) ?? 0) + 1)
            }
        }
        const names = [...counts].map(([trace, by]) => {
            const [value] = [...by].reduce((a, b) => b[1] > a[1] ? b : a, [0, 0])
            return [trace, shownName(route, route.name(value))]
        })
        return new Map(names)
    }

    showTrace(id) {
        const trace = new Trace(this.profile, this.dimension, id)
        if (trace.rows.length === 0) {
            this.one.replaceChildren(el("p", {}, id === "" ? "No trace is in the selection."
                : `No sample of trace ${clean(id)} is in this recording: it used less CPU than a sample stands for.`))
            return
        }
        this.trace = trace
        const {rows} = this.profile, classes = new Int32Array(6)
        trace.rows.forEach(row => classes[rows.class[row]]++)
        replace(this.one, el("h2", {}, "Trace ", el("span", {class: "id"}, clean(id))), this.summary(trace),
            classBar(classes), this.actions(id, trace), this.lanes.element,
            el("p", {class: "hint"}, "High: samples of this trace. Low: other work of the same threads and processes."),
            this.when, this.stack)
        this.lanes.show(trace)
        this.showRow(trace.rows[0])
    }

    summary({rows, first, last}) {
        const {profile} = this, {Period} = profile.header, more = suggestRate(rows.length, Period)
        const threads = new Set(rows.map(row => this.profile.rows.thread[row])).size
        const several = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`
        return el("p", {class: "summary"}, `${several(rows.length, "sample")} on ${several(threads, "thread")}: ${
            cpu(rows.length, Period)} of CPU from ${profile.date(first)} ${profile.clock(first, 1000)} to ${
            profile.clock(last, 1000)} UTC (${duration(last - first)}). A sample stands for ${
            duration(Period / 1000)}. `, more
            ? `Record with -F ${more.rate} to see about ${count(more.samples)} samples of a trace like this.` : "")
    }

    actions(id, {rows}) {
        const route = this.analysis.dimension(routeLabel), {store} = this
        const value = route.column[this.profile.rows.set[rows[0]]], name = route.name(value)
        const filters = (dimension, text) => ({
            filters: new Map([...store.state.filters, [dimension, new Set([text])]]), view: "flame", zoom: [],
        })
        return el("div", {class: "tools"},
            button("Flame graph of this trace", () => store.set({...filters(traceLabel, id), a: null, b: null})),
            name === "" ? null : button(`Flame graph of ${clean(name)}, all traces`,
                () => store.set(filters(routeLabel, name))))
    }

    // showRow shows the stack of a sample.
    showRow(row) {
        const {profile} = this, {rows, nodes, frames, threads} = profile, {Kinds, Tiers} = profile.header
        const labels = profile.labels.filter(label => label.column[rows.set[row]] > 0).map(label =>
            `${clean(profile.text(label.name))}=${clean(profile.text(label.values[label.column[rows.set[row]] - 1]))}`)
        const age = rows.age[row] > 0 ? `, ${count(rows.age[row] - 1)} ms after its request began` : ""
        this.when.replaceChildren(el("strong", {}, `${profile.clock(rows.time[row], 1000)} UTC`), ` ${
            clean(profile.text(threads.name[rows.thread[row]]))} ${threads.tid[rows.thread[row]]}, ${
            profile.className(rows.class[row])}${age}${labels.length > 0 ? `, ${labels.join(" ")}` : ""}`)
        const items = []
        for (let node = profile.stacks[rows.stack[row]]; node !== 0; node = nodes.parent[node]) {
            const frame = nodes.frame[node], f = frames.function[frame], file = profile.functionFile(f)
            const kind = Tiers[profile.tier(frame)] || Kinds[profile.kind(frame)]
            items.push(el("li", {}, el("span", {class: "what"}, clean(profile.functionName(f))), " ",
                el("span", {class: "file", title: clean(file)}, file ? clean(file) : "",
                    frames.line[frame] > 0 ? `:${frames.line[frame]}` : ""), " ",
                el("span", {class: "kind"}, profile.inlined(frame) ? `${kind}, inlined` : kind)))
        }
        this.stack.replaceChildren(...items)
    }
}

