import {classCount} from "./classes.js"

// FunctionCounter counts samples by function, as pprofx/report/function.go does: the own ones are those in which it is
// the function of JavaScript or WebAssembly nearest to the leaf, or the leaf of a stack without either.
export class FunctionCounter {
    // tree has the stacks from their roots, by function.
    constructor(profile, tree, lines) {
        Object.assign(this, {profile, tree, lines})
        this.size = profile.functions.length
        this.outermost = outermost(tree, this.size)
        this.own = ownFrames(profile)
    }

    // count returns columns by function: own and total samples, the classes of the own ones, and the line with most of
    // them.
    count(counts, weights) {
        const {profile, tree, size} = this
        const own = new Int32Array(size), total = new Float64Array(size), classes = new Int32Array(size * classCount)
        for (let i = 1; i < tree.length; i++) {
            if (this.outermost[i]) {
                total[tree.key[i]] += weights[i]
            }
        }
        const byLine = new Int32Array(this.lines.size)
        for (let stack = 0; stack < this.own.length; stack++) {
            const frame = this.own[stack], f = profile.frames.function[frame]
            for (let c = 0; c < classCount; c++) {
                const n = counts[stack * classCount + c]
                classes[f * classCount + c] += n
                own[f] += n
                byLine[this.lines.keyOf[frame]] += n
            }
        }
        return {own, total, classes, line: this.hottest(byLine), byLine}
    }

    // ownLines returns the own samples of a function by line, of what count has returned.
    ownLines(f, {byLine}) {
        const {lines} = this, own = new Map()
        for (let i = 0; i < byLine.length; i++) {
            if (lines.function[i] === f && byLine[i] > 0) {
                own.set(lines.line[i], byLine[i])
            }
        }
        return own
    }

    hottest(byLine) {
        const {lines} = this, line = new Int32Array(this.size), most = new Int32Array(this.size)
        for (let i = 0; i < byLine.length; i++) {
            const f = lines.function[i], n = byLine[i], at = lines.line[i]
            if (at > 0 && n > 0 && (n > most[f] || n === most[f] && at < line[f])) {
                line[f] = at
                most[f] = n
            }
        }
        return line
    }
}

// outermost says of each node whether no other above it is of the same function.
function outermost(tree, functions) {
    const list = new Uint8Array(tree.length), active = new Int32Array(functions), path = []
    for (let i = 1; i < tree.length; i++) {
        while (path.length >= tree.depth[i]) {
            active[path.pop()]--
        }
        const f = tree.key[i]
        list[i] = active[f] === 0 ? 1 : 0
        active[f]++
        path.push(f)
    }
    return list
}

// ownFrames returns the frame to which the samples of each stack belong.
function ownFrames(profile) {
    const {nodes} = profile, own = profile.header.Kinds.map(kind => kind === "js" || kind === "wasm")
    return profile.stacks.map(leaf => {
        for (let node = leaf; node !== 0; node = nodes.parent[node]) {
            if (own[profile.kind(nodes.frame[node])]) {
                return nodes.frame[node]
            }
        }
        return nodes.frame[leaf]
    })
}
