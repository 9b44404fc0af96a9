import {classNames} from "./classes.js"

// Dimension is a property by which samples are grouped and chosen: a label, or what is known of each sample. A value
// has a number; the one with the name "" is of samples without one. What has the property, each set of labels, each
// thread or each class, is the dimension's kind, and the column has the value of each.
class Dimension {
    constructor(id, title, kind, column, names) {
        Object.assign(this, {id, title, kind, column, size: names.length, names})
        this.numbers = null
    }

    name(value) {
        return this.names.at(value)
    }

    // number returns the number of a value by its name, -1 if there is none.
    number(name) {
        if (!this.numbers) {
            this.numbers = new Map()
            for (let i = this.size - 1; i >= 0; i--) {
                this.numbers.set(this.name(i), i)
            }
        }
        return this.numbers.get(name) ?? -1
    }
}

// titles are names of labels that read better.
const titles = {"http.route": "route", "trace_id": "trace"}

// dimensions lists those of a profile, routes first, and ids last.
export function dimensions(profile) {
    const labels = profile.labels.map(label => {
        const name = profile.text(label.name)
        const names = {
            length: label.values.length + 1,
            at: i => i === 0 ? "" : profile.text(label.values[i - 1]),
        }
        return new Dimension("label:" + name, titles[name] ?? name, "set", label.column, names)
    })
    if (!labels.some(d => d.id === "label:http.route")) {
        labels.push(new Dimension("label:http.route", "route", "set", new Int32Array(profile.sets), [""]))
    }
    const order = d => d.id === "label:http.route" ? 0 : /^label:(.*_id|hotspan\.left_out)$/.test(d.id) ? 2 : 1
    labels.sort((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1))
    const ids = labels.findIndex(d => order(d) === 2)
    labels.splice(ids < 0 ? labels.length : ids, 0, ...others(profile))
    return labels
}

function others(profile) {
    const {threads, header} = profile
    const ofProcess = name => i => name(header.Processes[threads.process[i]])
    return [
        byName("class", "what the CPU did", "class", classNames.length, i => classNames[i]),
        byName("thread", "thread", "thread", threads.tid.length, i => profile.text(threads.name[i])),
        byName("service", "service", "thread", threads.tid.length, ofProcess(p => p.service ?? "")),
        byName("process", "process", "thread", threads.tid.length, ofProcess(p => String(p.pid))),
    ]
}

function byName(id, title, kind, n, name) {
    const names = [], numbers = new Map(), column = new Int32Array(n)
    for (let i = 0; i < n; i++) {
        const text = name(i)
        if (!numbers.has(text)) {
            numbers.set(text, names.length)
            names.push(text)
        }
        column[i] = numbers.get(text)
    }
    return new Dimension(id, title, kind, column, names)
}

// shownName is a value's name where people read it.
export function shownName(dimension, name) {
    return name === "" ? `(no ${dimension.title})` : name
}
