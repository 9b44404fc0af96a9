import {dimensions} from "./dimensions.js"
import {FunctionCounter} from "./functions.js"
import {functionKeys, lineKeys} from "./keys.js"
import {admitted, countAgeless, countBy, countGroups, countStacks, sumClasses} from "./selection.js"
import {framesFromLeaf, framesFromRoot, merge, weigh} from "./tree.js"

// Analysis answers questions about a profile, and keeps what is likely to be asked again.
export class Analysis {
    constructor(profile) {
        this.profile = profile
        this.dimensions = dimensions(profile)
        this.known = new Map()
    }

    once(key, make) {
        if (!this.known.has(key)) {
            this.known.set(key, make())
        }
        return this.known.get(key)
    }

    // latest keeps the answer to one question of a kind only.
    latest(kind, question, make) {
        const last = this.known.get(kind)
        if (last?.question === question) {
            return last.answer
        }
        const answer = make()
        this.known.set(kind, {question, answer})
        return answer
    }

    dimension(id) {
        return this.dimensions.find(d => d.id === id)
    }

    keys(merging) {
        return this.once("keys " + merging, () => merging === "line"
            ? lineKeys(this.profile, this.keys("function"))
            : functionKeys(this.profile))
    }

    // tree returns the stacks as a tree: by function or line, from the roots or reversed, with all frames or only those
    // of JavaScript.
    tree(merging, reversed, shown = "all") {
        const question = `${merging} ${reversed} ${shown}`
        const keep = question === "function false all" ? make => this.once("tree", make) // for the table of functions
            : make => this.latest("tree of the graph", question, make)
        return keep(() => {
            const frames = this.once(`frames ${reversed}`, () => reversed
                ? framesFromLeaf(this.profile) : framesFromRoot(this.profile))
            const keys = this.keys(merging)
            return merge(frames, shown === "js" ? this.ofJavaScript(keys.keyOf) : keys.keyOf, keys.rankOf)
        })
    }

    ofJavaScript(keyOf) {
        const js = this.profile.header.Kinds.indexOf("js")
        return keyOf.map((key, frame) => this.profile.kind(frame) === js ? key : -1)
    }

    admits(state, leftOut) {
        return admitted(this.profile, this.dimensions, state, leftOut)
    }

    // rows returns the first row of a range of time, and the first after it. Both are all of it for null.
    rows(range) {
        return range ? [this.profile.before(range[0]), this.profile.before(range[1])] : [0, this.profile.length]
    }

    // select returns the samples that a state of the page chooses: a, and b if there is a range to compare with.
    select(state) {
        const {a, b} = state
        return this.latest("select", JSON.stringify([a, b, question(state)]), () => {
            const admits = this.admits(state)
            const count = range => {
                const counted = countStacks(this.profile, this.rows(range), admits)
                return {...counted, range, byStack: sumClasses(counted.counts)}
            }
            return {a: count(a), b: b && count(b), admits}
        })
    }

    // groups counts the samples of a range by a dimension, whatever the filters say of it.
    groups(state, dimension, range) {
        return countGroups(this.profile, this.rows(range), this.admits(state, dimension), dimension)
    }

    // ageless counts the samples of range A that a filter by age leaves out because no age is known, of those that all
    // other filters choose.
    ageless(state) {
        const {a, admits} = this.select(state)
        return countAgeless(this.profile, [a.from, a.to], admits)
    }

    countBy(state, dimension, category, categories) {
        const {a, admits} = this.select(state)
        return countBy(this.profile, [a.from, a.to], admits, dimension, category, categories)
    }

    // functions counts the samples of one side of a selection by function.
    functions(side) {
        return this.counter().count(side.counts, weigh(this.tree("function", false), side.byStack))
    }

    // ownLines returns the own samples of a function by line, of what functions has returned.
    ownLines(f, counted) {
        return this.counter().ownLines(f, counted)
    }

    counter() {
        return this.once("functions", () =>
            new FunctionCounter(this.profile, this.tree("function", false), this.keys("line")))
    }
}

// question is a text for what the filters of a state admit: one text, one answer.
export function question({filters, older}) {
    return JSON.stringify([older, ...Array.from(filters, ([id, names]) => [id, ...names])])
}
