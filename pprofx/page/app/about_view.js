import {el} from "./dom.js"
import {clean, count, duration} from "./format.js"
import {classNames} from "./classes.js"

// reasons explain why samples are lost.
const reasons = {
    "ring buffer full": "hotspan got no CPU to keep up: record with --ring-buffer 64 or a lower rate",
    "process exited": "the process ended before its last samples were handled",
    "late": "the sample came after the end of its snapshot",
    "full": "a snapshot or file had no room: use --snapshot-every",
    "malformed record": "a defect of hotspan",
}

// stops explain where stacks end that are not whole.
const stops = {
    "too deep": "the stack has more frames than a walk visits: those at the root are missing",
    "stack unreadable": "memory of the stack could not be read",
    "no unwind rule": "nothing says how to go on from the code of a frame",
    "no progress": "the next frame would not be above",
    "bad return address": "a return address points to no code",
}

// lostSum returns how many samples were lost, by reason and in all.
export function lostSum({Lost}) {
    const by = new Map()
    for (const {Samples} of Lost) {
        for (const [reason, n] of Object.entries(Samples)) {
            by.set(reason, (by.get(reason) ?? 0) + n)
        }
    }
    return {by, all: [...by.values()].reduce((a, b) => a + b, 0)}
}

// AboutView says what is missing from the page, and of which processes it is.
export class AboutView {
    constructor(analysis) {
        this.profile = analysis.profile
        this.element = el("div", {class: "about"})
    }

    show() {
        if (!this.element.hasChildNodes()) {
            this.element.append(...this.lost(), ...this.incomplete(), ...this.source(), ...this.processes(),
                ...this.recorded())
        }
    }

    lost() {
        const {by, all} = lostSum(this.profile.header), {LeftOut} = this.profile.header
        const left = [
            ["samples", LeftOut.Samples, "the page has no room for more"],
            ["stacks", LeftOut.Stacks, "there were too many different ones: their samples have the frame [other]"],
            ["ids", LeftOut.IDs, "there were too many different ones: their samples have no trace and span"],
            ["labels", LeftOut.Labels, "there were too many different ones: their samples have none"],
        ].filter(([, n]) => n > 0)
        return [
            el("h2", {}, "What was lost"),
            el("p", {}, `${count(this.profile.length)} samples are on this page. ${all === 0
                ? "None was lost when they were recorded."
                : `${count(all)} more were lost when they were recorded; of which request they were is not known, so ` +
                    "filters do not apply to them."}`),
            all > 0 ? table(["reason", "samples", ""], [...by].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1])
                .map(([reason, n]) => [reason, count(n), reasons[reason] ?? ""])) : "",
            left.length > 0 ? table(["left out of the page", "samples", ""],
                left.map(([what, n, why]) => [what, count(n), why])) : "",
        ]
    }

    incomplete() {
        const {rows, header} = this.profile, counts = header.Stops.map(() => 0)
        rows.stop.forEach(stop => counts[stop]++)
        const list = header.Stops.map((name, i) => [name, counts[i]])
            .filter(([name, n]) => n > 0 && name !== "root").sort((a, b) => b[1] - a[1])
        return list.length === 0 ? [el("p", {}, "All stacks reach the first frame of their thread.")]
            : [table(["stacks that are not whole", "samples", ""],
                list.map(([name, n]) => [name, count(n), stops[name] ?? "hotspan does not know where it ended"]))]
    }

    // source says of which files there are source lines, and of which not.
    source() {
        const {Source} = this.profile.header
        const refused = Object.entries(Source?.Refused ?? {}).sort((a, b) => b[1] - a[1])
        return !Source ? [] : [
            el("h2", {}, "Source"),
            el("p", {}, `Lines of ${count(Source.Files.length)} files are on this page.`),
            refused.length > 0 ? table(["files whose lines are not", "files"],
                refused.map(([why, n]) => [why, count(n)])) : "",
        ]
    }

    processes() {
        const rows = this.profile.header.Processes.map(p => [String(p.pid), clean(p.service ?? ""),
            clean(p.executable ?? ""), clean(p.container ?? ""),
            (p.attributes ?? []).map(([key, value]) => `${clean(key)}=${clean(value)}`).join(" ")])
        return [el("h2", {}, "Processes"), table(["pid", "service", "executable", "container", "attributes"], rows, 0)]
    }

    recorded() {
        const {Intervals, Period, Start} = this.profile.header
        return [el("h2", {}, "Recorded"),
            el("p", {}, `A sample stands for ${duration(Period / 1000)} of CPU: waiting is not in this profile. What ` +
                `the CPU did is one of ${classNames.join(", ")}; pool is libuv's threads.`),
            table(["from (UTC)", "to", "for"], Intervals.map(range => {
                const [from, to] = range.map(time => time - Start)
                const when = time => `${this.profile.date(time)} ${this.profile.clock(time, 1e5)}`
                return [when(from), when(to), duration(to - from)]
            }), -1)]
    }
}

// table has numbers in one of its columns.
function table(head, rows, numbers = 1) {
    const cell = (tag, attributes) => (text, i) =>
        el(tag, {...attributes, class: i === numbers ? "number" : null}, text)
    return el("div", {class: "scroll"}, el("table", {class: "plain"},
        el("thead", {}, el("tr", {}, head.map(cell("th", {scope: "col"})))),
        el("tbody", {}, rows.map(row => el("tr", {}, row.map(cell("td", {})))))))
}
