// Prints what the Firefox Profiler understands of a file, by its own command, in the form of speedscope.mjs. The unit
// is samples. A function with a source is one for each of its lines; the file of another one is the name of its
// library. Of each thread there are also the categories, and the samples during markers that SEARCH finds.
//
//     node firefox.mjs FILE FOLDER SEARCH
//
// The command keeps its sessions in the folder.

import {execFileSync} from "node:child_process"
import path from "node:path"

const [file, folder, search] = process.argv.slice(2)
const command = path.join(import.meta.dirname, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js")
const env = {...process.env, PROFILER_CLI_SESSION_DIR: folder, PROFILER_CLI_NO_SYMBOLICATE: "1"}

function say(...args) {
    const stdio = ["ignore", "pipe", "pipe"]
    return execFileSync(process.execPath, [command, ...args], {env, encoding: "utf8", stdio})
}

// The command gives its daemon half a second to start, which is too short where others use the CPUs.
function load() {
    for (let tries = 1; ; tries++) {
        try {
            return say("load", file)
        } catch (e) {
            const late = /may still be running as pid (\d+)/.exec(e.stderr)
            if (!late || tries === 20) throw e
            process.kill(Number(late[1]))
        }
    }
}

const ask = (...args) => JSON.parse(say(...args, "--json"))

function lines(f) {
    const whole = {name: f.name, file: f.library ?? "", line: 0, column: 0, self: f.selfSamples, total: f.totalSamples}
    if (f.library !== undefined) {
        return [whole]
    }
    const annotated = ask("function", "annotate", f.functionHandle, "--mode", "src").srcAnnotation
    const used = annotated?.lines.filter(l => l.selfSamples + l.totalSamples > 0) ?? []
    if (used.length === 0) {
        return [whole]
    }
    return used.map(l => ({
        ...whole, file: annotated.filename, line: l.lineNumber, self: l.selfSamples, total: l.totalSamples,
    }))
}

load()
try {
    const profiles = ask("thread", "list").threads.map(t => {
        say("thread", "select", t.threadHandle)
        const functions = ask("thread", "functions", "--include-idle").functions.flatMap(lines)
        const {totalSamples, categories} = ask("thread", "samples", "--include-idle").categoryBreakdown
        ask("filter", "push", "--during-marker", "--search", search)
        const during = ask("thread", "samples", "--include-idle").categoryBreakdown.totalSamples
        return {
            name: `${t.processName} ${t.name} ${t.pid}/${t.tid}`, unit: "samples", total: totalSamples, busy: t.cpuMs,
            functions, during,
            categories: Object.fromEntries(categories.map(c => [c.name, c.samples])),
        }
    })
    const lost = ask("profile", "meta").extra[0].entries.map(e => `${e.label}: ${e.value}`)
    console.log(JSON.stringify({name: lost.join(", "), profiles}))
} finally {
    say("stop")
}
