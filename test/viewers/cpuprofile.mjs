// Prints what Chrome's DevTools understand of a .cpuprofile, by their own model of it, in the form of speedscope.mjs.
// Times are in microseconds. A function has the time by which the model closes its frames; hits is what the model says
// by counts of samples.
//
//     node cpuprofile.mjs FILE

import fs from "node:fs"
import {CPUProfileDataModel} from "@paulirish/trace_engine/models/cpu_profile/CPUProfileDataModel.js"

const file = JSON.parse(fs.readFileSync(process.argv[2], "utf8"))
const model = new CPUProfileDataModel(file)
const functions = new Map()

function add(node, field, value) {
    const {functionName, url, lineNumber, columnNumber} = node.callFrame
    const key = JSON.stringify([functionName, url, lineNumber, columnNumber])
    if (!functions.has(key)) {
        functions.set(key, {
            name: functionName, file: url, line: lineNumber + 1, column: columnNumber + 1, self: 0, total: 0, hits: 0,
            ticks: 0,
        })
    }
    functions.get(key)[field] += value
}

for (const node of model.nodes()) {
    add(node, "hits", node.self * 1000)
    for (const {line, ticks} of node.positionTicks ?? []) {
        if (line !== node.callFrame.lineNumber + 1) {
            throw new Error(`ticks on line ${line} of a node of line ${node.callFrame.lineNumber + 1}`)
        }
        add(node, "ticks", ticks)
    }
}
const open = []
model.forEachFrame((_depth, node) => open.push(node), (_depth, node, _sample, _start, duration, self) => {
    open.pop()
    add(node, "self", self * 1000)
    if (!open.some(n => n.callFrame.functionName === node.callFrame.functionName && n.url === node.url &&
        n.lineNumber === node.lineNumber && n.columnNumber === node.columnNumber)) {
        add(node, "total", duration * 1000)
    }
})
const profile = {
    name: "", unit: "microseconds", functions: [...functions.values()], total: file.endTime - file.startTime, busy: 0,
}
console.log(JSON.stringify({name: "", profiles: [profile]}))
