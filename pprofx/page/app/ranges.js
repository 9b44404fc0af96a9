import {duration} from "./format.js"
import {headHeight, lineHeight} from "./times.js"

// least is how many pixels the pointer moves before that is a range.
const least = 3

// Ranges lets ranges of time be dragged on a canvas, and moved by keys.
export class Ranges {
    constructor(profile, store, canvas) {
        Object.assign(this, {profile, store, canvas, second: false, from: null, window: [0, 1], width: 1})
        canvas.addEventListener("pointerdown", event => this.down(event))
        canvas.addEventListener("pointermove", event => this.moved(event))
        canvas.addEventListener("pointerup", event => this.up(event))
        canvas.addEventListener("pointercancel", () => { this.from = null })
        canvas.addEventListener("pointerleave", () => this.onhover(""))
        canvas.addEventListener("keydown", event => this.key(event))
    }

    // shown says which window of time the canvas shows, in how many cells. text describes a cell of a row.
    shown(window, width, cells, text) {
        Object.assign(this, {window, width, cells, text})
    }

    time(x) {
        const at = this.window[0] + x / this.width * (this.window[1] - this.window[0])
        return Math.round(Math.max(0, Math.min(this.profile.duration, at)))
    }

    down(event) {
        if (event.button === 0) {
            this.from = event.offsetX
            this.name = this.second || event.shiftKey ? "b" : "a"
            this.before = this.store.state[this.name]
            this.canvas.setPointerCapture(event.pointerId)
        }
    }

    moved(event) {
        if (this.from === null) {
            this.hover(event)
        } else if (Math.abs(event.offsetX - this.from) >= least) {
            this.wanted = this.dragged(event)
            this.frame ??= requestAnimationFrame(() => {
                this.frame = undefined
                if (this.from !== null) {
                    this.store.set({[this.name]: this.wanted}, true)
                    this.onhover(this.describe(this.wanted))
                }
            })
        }
    }

    dragged(event) {
        return [this.from, event.offsetX].sort((a, b) => a - b).map(x => this.time(x))
    }

    up(event) {
        if (this.from === null) {
            return
        }
        const range = this.dragged(event), far = Math.abs(event.offsetX - this.from) >= least
        this.from = null
        this.second = false
        this.store.set({[this.name]: far && range[1] > range[0] ? range : this.before})
        this.onchange?.()
    }

    describe(range) {
        return `${this.name.toUpperCase()}: ${range.map(at => this.profile.clock(at, 1000)).join(" to ")} UTC, ${
            duration(range[1] - range[0])}`
    }

    hover(event) {
        const at = this.time(event.offsetX), row = Math.floor((event.offsetY - headHeight) / lineHeight)
        const {header} = this.profile
        const lost = header.Lost.filter(({Start, End}) => header.Start + at >= Start && header.Start + at < End)
            .flatMap(({Samples}) => Object.entries(Samples).map(([reason, n]) => `${n} ${reason}`))
        this.onhover(`${this.profile.clock(at, 1000)} UTC · ${this.text(this.cell(event.offsetX), row)}${
            lost.length > 0 ? ` · lost around then: ${lost.join(", ")}` : ""}`)
    }

    cell(x) {
        return Math.max(0, Math.min(this.cells - 1, Math.floor(x / this.width * this.cells)))
    }

    key(event) {
        const {state} = this.store, name = this.second ? "b" : "a", {window} = this
        const step = (window[1] - window[0]) / 50, by = {ArrowLeft: -step, ArrowRight: step}[event.key]
        if (by) {
            event.preventDefault()
            const range = state[name] ?? [window[0], window[0] + (window[1] - window[0]) / 5]
            const to = Math.min(this.profile.duration, range[1] + by)
            const from = event.shiftKey ? range[0] : Math.max(0, range[0] + by)
            if (state[name] === null || to > from) {
                this.store.set({[name]: [from, Math.max(to, from + 1)].map(Math.round)})
            }
        } else if (event.key === "Enter" && state.a) {
            this.store.set({window: state.a})
        } else if (event.key === "Escape") {
            this.store.set(state.b ? {b: null} : state.a ? {a: null} : {window: null})
        }
    }
}
