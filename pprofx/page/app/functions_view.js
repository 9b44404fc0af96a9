import {changeCell} from "./change.js"
import {classBar} from "./class_bar.js"
import {classCount} from "./classes.js"
import {differ} from "./compare.js"
import {button, el, replace} from "./dom.js"
import {clean, count, cpu, place, share} from "./format.js"
import {search} from "./search.js"
import {Source} from "./source.js"

const page = 100

// FunctionsView is the table of functions of the selection.
export class FunctionsView {
    constructor(analysis, store) {
        Object.assign(this, {analysis, store, profile: analysis.profile, limit: page, opened: null})
        this.source = new Source(this.profile)
        this.head = el("tr")
        this.body = el("tbody")
        this.more = el("div", {class: "more"})
        this.element = el("div", {},
            el("p", {class: "hint"}, "Own: the samples in which it is the function of JavaScript or WebAssembly ",
                "nearest to the leaf, so that what V8, Node and the kernel do for it is in there. ",
                "Total: with what it calls."),
            el("div", {class: "scroll"},
                el("table", {class: "functions"}, el("thead", {}, this.head), this.body)), this.more)
    }

    show(state) {
        const {a, b} = this.analysis.select(state)
        this.state = state
        this.a = this.analysis.latest("functions a", a, () => this.analysis.functions(a))
        this.b = b && this.analysis.latest("functions b", b, () => this.analysis.functions(b))
        this.totals = [a.total, b?.total]
        const list = this.sorted(search(this.profile, state.search))
        this.showHead()
        replace(this.body, list.slice(0, this.limit).flatMap(f => [this.row(f), this.lines(f)]))
        const hidden = list.length - this.limit
        replace(this.more, hidden > 0 ? button(`${count(hidden)} more`, () => {
            this.limit += page * 4
            this.show(this.state)
        }, {"data-key": "more"}) : null)
    }

    sorted(found) {
        const {a, b} = this, list = []
        for (let f = 0; f < a.own.length; f++) {
            if ((a.total[f] > 0 || b?.total[f] > 0) && (!found || found[f])) {
                list.push(f)
            }
        }
        const {rankOf} = this.analysis.keys("function")
        const key = this.state.sort === "total" ? [a.total, a.own] : [a.own, a.total]
        const change = f => Math.abs(this.change(f).difference)
        return list.sort((f, g) => (b && this.state.sort === "change" ? change(g) - change(f) : 0) ||
            key[0][g] - key[0][f] || key[1][g] - key[1][f] || rankOf[f] - rankOf[g])
    }

    change(f) {
        return differ(this.a.own[f], this.totals[0], this.b.own[f], this.totals[1])
    }

    showHead() {
        const {store, state, b} = this
        const sort = (column, text) => el("th", {
            scope: "col", class: "number", "aria-sort": state.sort === column ? "descending" : "none",
        }, button(text, () => store.set({sort: column}), {"data-key": `sort ${column}`}))
        const plain = (text, kind) => el("th", {scope: "col", class: kind}, text)
        replace(this.head, sort("own", b ? "self in A" : "self"), b ? plain("self in B", "number") : null,
            b ? sort("change", "change") : plain("CPU", "number"), sort("total", b ? "total in A" : "total"),
            plain("samples", "number wide"), plain("function", ""), plain("hottest line", ""),
            plain("what the CPU did", "wide"))
    }

    row(f) {
        const {a, b, totals, profile} = this, {Period} = profile.header
        const name = clean(profile.functionName(f)), file = profile.functionFile(f)
        const classes = a.classes.subarray(f * classCount, (f + 1) * classCount)
        return el("tr", {},
            el("td", {class: "number own"}, share(a.own[f], totals[0])),
            b ? el("td", {class: "number"}, share(b.own[f], totals[1])) : null,
            b ? changeCell(this.change(f)) : el("td", {class: "number"}, cpu(a.own[f], Period)),
            el("td", {class: "number"}, share(a.total[f], totals[0])),
            el("td", {class: "number wide"}, `${count(a.own[f])} / ${count(a.total[f])}`),
            el("td", {class: "what"}, button(name, () => this.find(f), {
                class: "name", title: "Find it in the flame graph", "data-key": `function ${f}`,
            })),
            el("td", {class: "file", title: clean(file)}, this.placeOf(f, place(file, a.line[f]))),
            el("td", {class: "wide"}, a.own[f] > 0 ? classBar(classes) : ""))
    }

    // placeOf is where a function is: a button that shows its lines, if they are on the page.
    placeOf(f, text) {
        if (this.a.own[f] === 0 || !this.source.has(this.profile.functions.file[f])) {
            return text
        }
        const open = this.opened === f
        return button(text, () => {
            this.opened = open ? null : f
            this.show(this.state)
        }, {class: "name", title: "Its source, with self samples by line", "aria-expanded": String(open),
            "data-key": `source ${f}`})
    }

    // lines is a row with the source of the function that is open, null for others.
    lines(f) {
        if (this.opened !== f || this.a.own[f] === 0) {
            return null
        }
        const table = this.source.table(this.profile.functions.file[f], this.analysis.ownLines(f, this.a))
        return el("tr", {}, el("td", {colspan: "9"}, table))
    }

    find(f) {
        this.store.set({search: this.profile.functionName(f), view: "flame"})
    }
}
