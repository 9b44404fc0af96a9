import {question} from "./analysis.js"
import {bins} from "./bins.js"
import {onScheme} from "./colours.js"
import {button, el, fit, replace, select} from "./dom.js"
import {clean, count, cpu, duration, share} from "./format.js"
import {shownName} from "./dimensions.js"
import {groupsOf} from "./selection.js"
import {changeCell} from "./change.js"
import {classBar} from "./class_bar.js"
import {classCount} from "./classes.js"
import {differ} from "./compare.js"
import {drawTimes, headHeight, lineHeight} from "./times.js"
import {Ranges} from "./ranges.js"
import {milliseconds} from "./state.js"

const usage = "Drag over the time to see a range of it, with Shift a second one to compare. Names are filters."
const firstRows = 9, moreRows = 60, mostRecordings = 50

// Overview is the table of what used the CPU, by a dimension that one can choose, with a heat map over time beside it:
// ranges of time are dragged there, and names are filters.
export class Overview {
    constructor(analysis, store) {
        Object.assign(this, {analysis, store, profile: analysis.profile, limit: firstRows})
        this.tools = el("div", {class: "tools"})
        this.body = el("tbody")
        this.head = el("tr")
        this.table = el("table", {class: "groups"}, el("thead", {}, this.head), this.body)
        this.canvas = el("canvas", {tabindex: "0", role: "application", "aria-roledescription": "heat map over time"})
        this.ranges = new Ranges(analysis.profile, store, this.canvas)
        this.hint = el("p", {class: "hint", role: "status"})
        this.times = el("div", {class: "times"}, this.canvas)
        this.more = el("div", {class: "more"})
        this.element = el("section", {"aria-label": "Groups over time"}, this.tools,
            el("div", {class: "overview"}, this.table, this.times), this.more, this.hint)
        new ResizeObserver(() => this.state && this.draw()).observe(this.times)
        this.ranges.onhover = text => { this.hint.textContent = text || usage }
        this.ranges.onhover("")
        onScheme(() => this.state && this.draw())
    }

    show(state) {
        const {analysis} = this
        if (this.state?.by !== state.by) {
            this.limit = firstRows
        }
        this.state = state
        this.dimension = analysis.dimension(state.by) ?? analysis.dimensions[0]
        this.groups = groupsOf(this.dimension, analysis.groups(state, this.dimension, state.a),
            state.b && analysis.groups(state, this.dimension, state.b))
        this.selected = state.filters.get(this.dimension.id)
        this.shownGroups = this.groups.slice(0, this.limit)
        this.pinned()
        this.showTools(state)
        this.showTable(state)
        this.draw()
    }

    // pinned shows values that are chosen, even where they are among the smallest.
    pinned() {
        for (const name of this.selected ?? []) {
            const value = this.dimension.number(name)
            if (value >= 0 && !this.shownGroups.some(group => group.value === value)) {
                this.shownGroups.push(this.groups.find(group => group.value === value) ??
                    {value, samples: 0, compared: 0, classes: new Int32Array(classCount)})
            }
        }
    }

    showTools(state) {
        const {store} = this, whole = [0, this.profile.duration]
        replace(this.tools,
            select("By", this.analysis.dimensions.map(({id, title}) => [id, clean(title)]), this.dimension.id,
                by => store.set({by})),
            this.recordings(),
            button(this.ranges.second ? "Drag the second range …" : "Compare with a second range", () => {
                this.ranges.second = !this.ranges.second
                this.showTools(this.store.state)
            }, {"aria-pressed": String(this.ranges.second), "data-key": "compare"}),
            this.age(state),
            state.a ? button("Zoom to A", () => store.set({window: store.state.a}), {"data-key": "zoom"}) : null,
            state.window ? button("Whole time", () => store.set({window: null}), {"data-key": "whole"}) : null,
            this.rangeInputs("A", "a", state.a ?? whole), state.b ? this.rangeInputs("B", "b", state.b) : null)
        this.ranges.onchange = () => this.showTools(this.store.state)
    }

    // recordings lets one of several recordings be chosen.
    recordings() {
        const {Start, Intervals} = this.profile.header, {a} = this.store.state, text = times => String(times)
        if (Intervals.length < 2 || Intervals.length > mostRecordings) {
            return null
        }
        const since = Intervals.map(([from, to]) => [from - Start, to - Start])
        const ranges = new Map(since.map(range => [text(range), range]))
        const options = since.map(range =>
            [text(range), `${this.profile.clock(range[0], 1e6)}, ${duration(range[1] - range[0])}`])
        return select("Recording", [["", "all"], ...options], a && ranges.has(text(a)) ? text(a) : "", key => {
            const which = this.ranges.second ? "b" : "a"
            this.ranges.second = false
            this.store.set({[which]: ranges.get(key) ?? null})
        })
    }

    // age lets samples be chosen by how long their request had run, if that is known of any.
    age(state) {
        if (!this.profile.header.Ages) {
            return null
        }
        const input = el("input", {
            type: "number", min: "0", step: "1", placeholder: "any", value: state.older > 0 ? String(state.older) : "",
            "aria-label": "Only requests that had run for so many milliseconds", "data-key": "older",
            onchange: event => this.store.set({older: milliseconds(event.target.value)}),
        })
        return el("span", {class: "range age"}, "Requests that had run for", input, "ms", state.older === 0 ? null
            : el("span", {id: "ageless"},
                `(not known of ${count(this.analysis.ageless(state))} samples${state.b ? " in A" : ""})`))
    }

    // rangeInputs are for those who do not drag.
    rangeInputs(name, key, range) {
        const limit = this.profile.duration / 1e6
        const input = i => el("input", {
            type: "number", min: "0", max: limit, step: "any", value: String(Math.round(range[i] / 1e3) / 1e3),
            "aria-label": `${name} ${i === 0 ? "from" : "to"}, in seconds since the start`, "data-key": `${key}${i}`,
            onchange: event => {
                const changed = [...this.store.state[key] ?? range]
                changed[i] = Math.max(0, Math.min(limit, Number(event.target.value))) * 1e6
                if (changed[1] > changed[0]) {
                    this.store.set({[key]: changed.map(Math.round)})
                }
            },
        })
        const whole = key === "a" && !this.store.state.a
        return el("span", {class: `range ${key}`}, el("b", {}, name), input(0), "to", input(1), "s",
            whole ? null : button("×", () => this.store.set({[key]: null}), {
                class: "remove", "aria-label": `Remove range ${name}`, "data-key": `remove ${key}`,
            }))
    }

    showTable() {
        const total = this.groups.reduce((sum, group) => sum + group.samples, 0)
        const compared = this.groups.reduce((sum, group) => sum + group.compared, 0)
        const head = this.state.b ? ["in A", "in B", "change"] : ["share", "CPU", "samples"]
        this.head.replaceChildren(el("th", {scope: "col"}, clean(this.dimension.title)),
            ...head.map((text, i) => el("th", {scope: "col", class: i < 2 ? "number" : "number wide"}, text)),
            el("th", {scope: "col", class: "wide"}, "what the CPU did"))
        replace(this.body, this.shownGroups.map(group => this.row(group, total, compared)))
        const hidden = this.groups.length - this.shownGroups.length
        replace(this.more, hidden > 0 && this.limit < moreRows
            ? button(`${count(hidden)} more`, () => {
                this.limit = moreRows
                this.show(this.state)
            }, {"data-key": "more"})
            : hidden > 0 ? `and ${count(hidden)} more` : null)
    }

    row({value, samples, compared, classes}, total, allCompared) {
        const name = this.dimension.name(value), {id} = this.dimension, chosen = this.selected?.has(name) ?? false
        const text = clean(shownName(this.dimension, name))
        return el("tr", {class: chosen ? "chosen" : this.selected ? "others" : null},
            el("th", {scope: "row"}, button(text, event => this.filter(name, event), {
                class: name === "" ? "name none" : "name", "aria-pressed": String(chosen), "data-key": `${id} ${name}`,
                title: `${text}: click to show only this, with Ctrl to add it`,
            })),
            el("td", {class: "number"}, share(samples, total)), this.state.b
                ? [el("td", {class: "number"}, share(compared, allCompared)),
                    changeCell(differ(samples, total, compared, allCompared), "wide")]
                : [el("td", {class: "number"}, cpu(samples, this.profile.header.Period)),
                    el("td", {class: "number wide"}, count(samples))],
            el("td", {class: "wide"}, classBar(classes)))
    }

    filter(name, event) {
        this.store.filter(this.dimension.id, name, event.ctrlKey || event.metaKey)
    }

    draw() {
        const {profile, state, dimension} = this, width = Math.max(120, this.times.clientWidth)
        const window = state.window ?? [0, profile.duration]
        const n = this.cells(window, width)
        const counts = this.analysis.latest("bins", JSON.stringify([
            window, n, dimension.id, question(state), this.shownGroups.map(group => group.value),
        ]), () => this.count(window, n))
        const rows = this.shownGroups.length, height = headHeight + rows * lineHeight
        drawTimes(fit(this.canvas, width, height), {
            profile, width, height, window, n, rows, counts, state, dimmed: this.shownGroups.map(({value}) =>
                this.selected ? !this.selected.has(dimension.name(value)) : false),
        })
        this.ranges.shown(window, width, n, this.binText(window, n, counts))
        this.canvas.setAttribute("aria-label", `CPU use over ${duration(window[1] - window[0])}, by ${
            clean(dimension.title)}. Arrow keys move the range, with Shift its end; Enter zooms, Escape removes it.`)
    }

    // cells is in how many parts a window of time is shown: at least a period each, and with some samples in most.
    cells(window, width) {
        const samples = this.profile.before(window[1]) - this.profile.before(window[0])
        const most = (window[1] - window[0]) / (this.profile.header.Period / 1000)
        return Math.max(1, Math.floor(Math.min(width / 3, most, Math.max(60, samples / 4))))
    }

    count(window, n) {
        const {state, dimension, shownGroups} = this
        const rowOf = new Int32Array(dimension.size).fill(-1), chosen = new Uint8Array(dimension.size)
        shownGroups.forEach(({value}, i) => { rowOf[value] = i })
        chosen.fill(this.selected ? 0 : 1)
        this.selected?.forEach(name => { chosen[dimension.number(name)] = 1 })
        const admits = this.analysis.admits(state, dimension)
        return bins(this.profile, dimension, {admits, chosen, rowOf, rows: shownGroups.length}, window, n)
    }

    // binText says what is in a cell: of a row, or of all for -1.
    binText(window, n, counts) {
        return (cell, row) => {
            const group = this.shownGroups[row], samples = counts[(group ? row + 2 : 1) * n + cell]
            const cpus = samples * this.profile.header.Period / 1000 / ((window[1] - window[0]) / n)
            const name = group ? clean(shownName(this.dimension, this.dimension.name(group.value))) : "all"
            return `${name}: ${count(samples)} samples, ${cpus.toFixed(2)} CPUs`
        }
    }
}
