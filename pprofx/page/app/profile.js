import {Reader} from "./reader.js"
import {classNames, classOf, leafClasses} from "./classes.js"
import {clean, clock, date} from "./format.js"

// Profile is all that was recorded. Samples are rows, ordered by time; a column has a value for each. What is distinct
// is in lists of its own, and columns have indices into them.
//
//     header       see pprofx/page/header.go
//     functions    {name, file}: columns of texts
//     frames       {function, line, column, code}
//     nodes        {parent, frame}: stacks as paths from node 0; the number of a node is greater than its parent's
//     stacks       column: the node of the leaf
//     threads      {process, tid, name}
//     labels       [{name, values, column}]: values of a key, as texts; the column has an entry for each set of labels,
//                  counted from 1, and 0 for none
//     rows         {time (µs since the start), stack, set, thread, class, stop, age}: the age of the request is
//                  in whole ms, counted from 1, and 0 where it is not known
export class Profile {
    constructor(bytes) {
        const from = new Reader(bytes)
        this.header = JSON.parse(new TextDecoder().decode(from.take(from.number())))
        this.header.Processes ??= []
        this.texts = from.texts()
        this.readStacks(from)
        let n = from.number()
        this.threads = {process: from.column(n), tid: from.column(n), name: from.column(n)}
        this.readLabels(from)
        this.readRows(from)
        this.length = this.rows.time.length
        this.duration = Math.max(1, this.header.End - this.header.Start)
        this.parts = this.readParts()
    }

    readStacks(from) {
        let n = from.number()
        this.functions = {name: from.column(n), file: from.column(n), length: n}
        n = from.number()
        this.frames = {
            function: from.column(n), line: from.column(n), column: from.column(n), code: from.column(n, Uint8Array),
            length: n,
        }
        n = from.number()
        const up = from.column(n - 1), frame = from.column(n - 1)
        this.nodes = {parent: new Int32Array(n), frame: new Int32Array(n), length: n}
        for (let i = 1; i < n; i++) {
            this.nodes.parent[i] = i - up[i - 1]
            this.nodes.frame[i] = frame[i - 1]
        }
        this.stacks = from.list()
    }

    readLabels(from) {
        this.sets = from.number()
        this.labels = []
        for (let n = from.number(); n > 0; n--) {
            this.labels.push({name: from.number(), values: from.list(), column: from.column(this.sets)})
        }
    }

    readRows(from) {
        const n = from.number()
        const time = from.column(n, Float64Array)
        for (let i = 1; i < n; i++) {
            time[i] += time[i - 1]
        }
        this.rows = {time, stack: from.column(n), set: from.column(n), thread: from.column(n)}
        const state = from.column(n, Uint8Array)
        this.rows.stop = from.column(n, Uint8Array)
        this.rows.age = this.header.Ages ? from.column(n) : new Int32Array(n)
        this.rows.class = classOf(this, state, leafClasses(this))
    }

    // readParts returns the recordings of a comparison, which stand one behind the other, or one part that is all: from
    // when to when it is, since the start, and the Unix time of a time 0 in it.
    readParts() {
        const {Parts, Start} = this.header
        return Parts?.map(({Name, Start: from, End: to, Later}) =>
            ({name: clean(Name), from: from - Start, to: to - Start, zero: Start + Later})) ??
            [{name: "", from: 0, to: Infinity, zero: Start}]
    }

    // partAt returns the part that a time is in, or behind.
    partAt(at) {
        return this.parts.findLast(({from}) => at >= from) ?? this.parts[0]
    }

    // clock is the time of day of a time since the start, as exact as a step asks.
    clock(at, step) {
        return clock(this.partAt(at).zero + at, step)
    }

    date(at) {
        return date(this.partAt(at).zero + at)
    }

    // ticks lists round times between two: [time since the start, text].
    ticks(from, to, step) {
        const list = []
        for (const part of this.parts) {
            const first = part.zero + Math.max(from, part.from), last = part.zero + Math.min(to, part.to)
            for (let at = Math.ceil(first / step) * step; at < last; at += step) {
                list.push([at - part.zero, clock(at, step)])
            }
        }
        return list
    }

    text(i) {
        return this.texts.get(i)
    }

    functionName(i) {
        return this.texts.get(this.functions.name[i])
    }

    functionFile(i) {
        return this.texts.get(this.functions.file[i])
    }

    kind(frame) {
        return this.frames.code[frame] & 7
    }

    tier(frame) {
        return this.frames.code[frame] >> 3 & 7
    }

    inlined(frame) {
        return this.frames.code[frame] >> 6 === 1
    }

    className(i) {
        return classNames[i]
    }

    // recorded returns how much of a range of time was recorded, in µs; of all time for null.
    recorded(range) {
        const {Start, Intervals} = this.header, [from, to] = range ?? [0, this.duration]
        return Intervals.reduce((sum, [start, end]) =>
            sum + Math.max(0, Math.min(to, end - Start) - Math.max(from, start - Start)), 0)
    }

    // before returns the number of rows before a time.
    before(time) {
        let low = 0, high = this.length
        while (low < high) {
            const middle = low + high >> 1
            if (this.rows.time[middle] < time) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
