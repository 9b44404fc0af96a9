// Trace is the samples of one trace, and of what ran beside it.
//
//     rows     numbers of its samples
//     from, to the time that is worth showing, in µs since the start
//     lanes    threads with samples then: {thread, main, own, rows}
export class Trace {
    constructor(profile, dimension, id) {
        const value = dimension.number(id), {rows} = profile
        this.rows = []
        for (let i = 0; i < profile.length; i++) {
            if (dimension.column[rows.set[i]] === value) {
                this.rows.push(i)
            }
        }
        if (value <= 0 || this.rows.length === 0) {
            this.rows = []
            return
        }
        this.isOwn = row => dimension.column[rows.set[row]] === value
        this.first = rows.time[this.rows[0]]
        this.last = rows.time[this.rows.at(-1)]
        const around = Math.max((this.last - this.first) * 0.05, profile.header.Period / 1000 * 3)
        this.from = Math.max(0, this.first - around)
        this.to = Math.min(profile.duration, this.last + around)
        this.lanes = this.findLanes(profile)
    }

    findLanes(profile) {
        const {threads, rows} = profile, lanes = new Map()
        const processes = new Set(this.rows.map(row => threads.process[rows.thread[row]]))
        for (let row = profile.before(this.from); row < profile.length && rows.time[row] <= this.to; row++) {
            const thread = rows.thread[row], process = threads.process[thread]
            if (processes.has(process)) {
                if (!lanes.has(thread)) {
                    const {pid} = profile.header.Processes[process]
                    lanes.set(thread, {thread, process, main: threads.tid[thread] === pid, own: 0, rows: []})
                }
                const lane = lanes.get(thread)
                lane.rows.push(row)
                lane.own += this.isOwn(row)
            }
        }
        const name = lane => profile.text(threads.name[lane.thread])
        return [...lanes.values()].sort((a, b) => a.process - b.process || b.main - a.main ||
            (b.own > 0) - (a.own > 0) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a.thread - b.thread))
    }
}

// fewest is how many samples of a trace are enough to see what it did.
const fewest = 100
// highest is the rate that is suggested at most: a higher one costs the service too much.
const highest = 999

// suggestRate returns the rate at which a trace like one of so many samples would have enough of them, and how many it
// would have; null if it has enough.
export function suggestRate(samples, period) {
    const rate = 1e9 / period
    if (samples >= fewest || rate >= highest) {
        return null
    }
    const wanted = Math.min(highest, Math.ceil(rate * fewest / samples))
    return {rate: wanted, samples: Math.round(samples * wanted / rate)}
}
