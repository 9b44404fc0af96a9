import {el} from "./dom.js"
import {clean, count} from "./format.js"

// context is how many lines are shown before and behind one with samples.
const context = 4

// Source has the lines of source files that are on the page.
export class Source {
    constructor({header}) {
        this.files = new Map(header.Source?.Files.map(({File, Lines}) => [File, Lines]))
    }

    has(file) {
        return this.files.has(file)
    }

    // table shows the lines of a file around those with samples, given as a Map by line.
    table(file, own) {
        const near = n => {
            for (let i = n - context; i <= n + context; i++) {
                if (own.has(i)) {
                    return true
                }
            }
            return false
        }
        let before = 0
        const rows = []
        for (const {N, Text} of this.files.get(file).filter(({N}) => near(N))) {
            if (before > 0 && N > before + 1) {
                rows.push(el("tr", {}, el("td", {colspan: "3"}, "…")))
            }
            before = N
            rows.push(el("tr", {class: own.has(N) ? "hot" : null}, el("td", {class: "number"}, String(N)),
                el("td", {class: "number"}, own.has(N) ? count(own.get(N)) : ""),
                el("td", {}, clean(Text.replaceAll("\t", "    ")))))
        }
        return el("table", {class: "source"}, el("thead", {}, el("tr", {}, ["line", "self", "source"].map(text =>
            el("th", {scope: "col"}, text)))), el("tbody", {}, rows))
    }
}
