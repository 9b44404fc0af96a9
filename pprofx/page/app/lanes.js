import {step} from "./bins.js"
import {classNames} from "./classes.js"
import {accent, classColours, ink, line, onScheme, paper, pick, quiet} from "./colours.js"
import {el, fit} from "./dom.js"
import {clean} from "./format.js"

const axisHeight = 20, laneHeight = 30, nameWidth = 170
const font = `12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`

// Lanes draws a trace with a lane for each thread. Samples of the trace are high, those of other work are low and pale.
export class Lanes {
    constructor(profile, chosen) {
        Object.assign(this, {profile, chosen, trace: null, row: null})
        this.canvas = el("canvas", {
            tabindex: "0", role: "application", "aria-roledescription": "lanes by thread",
            "aria-label": "Samples of the trace by thread. Arrow keys go from sample to sample.",
            onclick: event => this.click(event), onkeydown: event => this.key(event),
        })
        this.element = el("div", {class: "lanes"}, this.canvas)
        new ResizeObserver(() => this.draw()).observe(this.element)
        onScheme(() => this.draw())
    }

    show(trace) {
        this.trace = trace
        this.row = trace.rows[0] ?? null
        this.draw()
    }

    x(time) {
        const {from, to} = this.trace
        return nameWidth + (time - from) / (to - from) * (this.width - nameWidth)
    }

    draw() {
        if (!this.trace?.lanes) {
            return
        }
        const {lanes} = this.trace
        this.width = Math.max(300, this.element.clientWidth)
        const height = axisHeight + lanes.length * laneHeight, context = fit(this.canvas, this.width, height)
        context.fillStyle = pick(paper)
        context.fillRect(0, 0, this.width, height)
        context.font = font
        context.textBaseline = "middle"
        this.drawAxis(context, height)
        lanes.forEach((lane, i) => this.drawLane(context, lane, axisHeight + i * laneHeight))
    }

    drawAxis(context, height) {
        const {from, to} = this.trace, every = step((to - from) / (this.width - nameWidth) * 100)
        for (const [at, text] of this.profile.ticks(from, to, every)) {
            const x = this.x(at)
            context.fillStyle = pick(line)
            context.fillRect(x, 0, 1, height)
            if (x + 4 + context.measureText(text).width < this.width) {
                context.fillStyle = pick(quiet)
                context.fillText(text, x + 4, axisHeight / 2)
            }
        }
    }

    drawLane(context, lane, y) {
        const {profile, trace} = this, {rows, threads} = profile
        context.fillStyle = pick(line)
        context.fillRect(0, y, this.width, 1)
        context.fillStyle = lane.own > 0 ? pick(ink) : pick(quiet)
        const name = clean(profile.text(threads.name[lane.thread])) || "thread"
        context.fillText(`${name} ${threads.tid[lane.thread]}${lane.main ? " (main)" : ""}`, 4, y + laneHeight / 2,
            nameWidth - 12)
        const wide = Math.max(2, this.x(trace.from + profile.header.Period / 1000) - nameWidth - 1)
        for (const row of lane.rows) {
            const own = trace.isOwn(row), high = own ? laneHeight - 8 : 8, x = this.x(rows.time[row])
            context.globalAlpha = own ? 1 : 0.45
            context.fillStyle = pick(classColours[classNames[rows.class[row]]])
            context.fillRect(x, y + laneHeight - 4 - high, Math.min(wide, this.width - x), high)
            if (row === this.row) {
                context.strokeStyle = pick(accent)
                context.lineWidth = 2
                context.strokeRect(x - 1, y + 2, wide + 2, laneHeight - 4)
            }
        }
        context.globalAlpha = 1
    }

    click(event) {
        const lane = this.trace.lanes[Math.floor((event.offsetY - axisHeight) / laneHeight)]
        if (lane) {
            const wide = this.x(this.trace.from + this.profile.header.Period / 1000) - nameWidth
            const distance = row => Math.abs(this.x(this.profile.rows.time[row]) + wide / 2 - event.offsetX)
            this.choose(lane.rows.reduce((a, b) => distance(b) < distance(a) ? b : a))
        }
    }

    key(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], {rows} = this.trace
        if (step) {
            event.preventDefault()
            const at = rows.indexOf(this.row)
            this.choose(rows[Math.max(0, Math.min(rows.length - 1, at + step))])
        }
    }

    choose(row) {
        this.row = row
        this.draw()
        this.chosen(row)
    }
}
