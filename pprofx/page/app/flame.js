import {both, differ} from "./compare.js"
import {colouring} from "./colouring.js"
import {differenceColour, onScheme, pick} from "./colours.js"
import {button, el, fit, replace, select} from "./dom.js"
import {clean, count, cpu, points, share} from "./format.js"
import {children, follow, layout, pathTo} from "./layout.js"
import {paint, rowHeight} from "./paint.js"
import {nameOf, samplesWith, search} from "./search.js"
import {weigh} from "./tree.js"

// narrowest is the width in pixels from which boxes are drawn.
const narrowest = 0.5

// Flame is the flame graph of the selection, roots at the top.
export class Flame {
    constructor(analysis, store) {
        Object.assign(this, {analysis, store, profile: analysis.profile, over: null, focus: 0})
        this.canvas = el("canvas", {
            tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-describedby": "flame-keys",
            "aria-label": "Flame graph",
            onpointermove: event => this.point(this.at(event)), onpointerleave: () => this.point(null),
            onclick: event => this.click(this.at(event)), ondblclick: () => this.zoom(0),
            onkeydown: event => this.key(event), onfocus: () => this.draw(), onblur: () => this.draw(),
        })
        this.space = el("div", {class: "space"}, this.canvas)
        this.scroller = el("div", {class: "flame", onscroll: () => this.draw()}, this.space)
        this.tools = el("div", {class: "tools"})
        this.legend = el("div", {class: "legend"})
        this.said = el("p", {class: "said", role: "status", "aria-live": "polite"})
        this.element = el("div", {}, this.tools, this.said, this.scroller, this.legend, keys())
        new ResizeObserver(() => this.resized()).observe(this.scroller)
        onScheme(() => this.shown && this.show(this.store.state))
        addEventListener("beforeprint", () => this.shown && this.unroll())
    }

    show(state) {
        this.state = state
        this.shown = true
        const {a, b} = this.analysis.select(state)
        this.tree = this.analysis.tree(state.merge, state.reverse, state.frames)
        this.keys = this.analysis.keys(state.merge)
        this.a = weigh(this.tree, a.byStack)
        this.b = b && weigh(this.tree, b.byStack)
        this.weights = b ? both(this.a, this.b) : this.a
        this.top = follow(this.tree, state.zoom)
        while (this.weights[this.top] === 0 && this.top !== 0) { // it is not in this selection
            this.top = this.tree.parent[this.top]
        }
        this.colours = b ? null : colouring(this.analysis, state, this.tree)
        this.find(state)
        this.showTools(state)
        this.showLegend()
        this.focus = this.top
        this.over = null
        this.arrange()
        this.say(this.top)
    }

    resized() {
        if (this.shown && this.scroller.clientWidth > 0) {
            if (this.scroller.clientWidth === this.width) {
                this.draw()
            } else {
                this.arrange()
            }
        }
    }

    find(state) {
        const functions = search(this.profile, state.search)
        this.isFound = functions && (node => node !== 0 && functions[this.keys.function[this.tree.key[node]]] === 1)
        this.foundA = functions && samplesWith(this.tree, this.a, this.isFound)
        this.foundB = functions && this.b && samplesWith(this.tree, this.b, this.isFound)
    }

    // arrange lays the boxes out for the width that there is.
    arrange() {
        const {tree} = this
        this.width = Math.max(200, this.scroller.clientWidth)
        this.boxes = layout(tree, this.weights, this.top, this.width, narrowest)
        this.boxOf = new Map(this.boxes.map(box => [box.node, box]))
        this.rows = this.boxes.reduce((most, box) => Math.max(most, tree.depth[box.node] + 1), 1)
        this.space.style.height = `${this.rows * rowHeight}px`
        this.drawn = {
            boxes: this.boxes, depth: node => tree.depth[node], found: this.isFound, text: node => this.name(node),
        }
        if (this.b) {
            this.drawn.differences = this.boxes.map(box => this.shade(box.node))
            this.drawn.colours = []
        } else {
            this.drawn.shares = this.colours.shares(this.boxes)
            this.drawn.colours = this.colours.categories.map(category => pick(category.colour))
        }
        this.draw()
    }

    // shade is how much of a node's share is new, or gone: -1 to 1, and 0 if it may be chance.
    shade(node) {
        const {difference, certain} = differ(this.a[node], this.a[0], this.b[node], this.b[0])
        return certain ? difference / Math.max(this.a[node] / this.a[0], this.b[node] / this.b[0]) : 0
    }

    draw() {
        if (!this.shown) {
            return
        }
        const height = Math.min(this.scroller.clientHeight, this.rows * rowHeight) || rowHeight
        const context = fit(this.canvas, this.width, height)
        const focused = document.activeElement === this.canvas ? this.boxOf.get(this.focus) : null
        paint(context, {width: this.width, height, top: this.scroller.scrollTop}, this.drawn,
            [focused, this.boxOf.get(this.over)])
    }

    // unroll shows all rows, for paper, as far as a canvas is high.
    unroll() {
        const box = this.scroller.style
        box.maxHeight = `${400 * rowHeight}px`
        this.draw()
        addEventListener("afterprint", () => {
            box.maxHeight = ""
            this.draw()
        }, {once: true})
    }

    name(node) {
        if (node === 0) {
            return "all"
        }
        return nameOf(this.profile, this.keys, this.tree.key[node], clean)
    }

    // at returns the node under the pointer, null if there is none.
    at(event) {
        const y = event.offsetY + this.scroller.scrollTop, depth = Math.floor(y / rowHeight), x = event.offsetX
        const box = this.boxes.findLast(({node, x: from, width}) =>
            this.tree.depth[node] === depth && x >= from && x < from + width)
        return box ? box.node : null
    }

    point(node) {
        if (node === this.over) {
            return
        }
        this.over = node
        this.canvas.style.cursor = node === null ? "default" : "pointer"
        this.say(node ?? this.focus)
        this.draw()
    }

    // say describes a node above the graph.
    say(node) {
        const period = this.profile.header.Period, {a, b} = this
        if (a[0] === 0 && !b?.[0]) {
            this.said.replaceChildren("No sample is selected.")
            return
        }
        const parts = [el("strong", {}, this.name(node))]
        if (node !== 0) {
            const f = this.keys.function[this.tree.key[node]], file = this.profile.functionFile(f)
            const line = this.keys.line[this.tree.key[node]]
            parts.push(file ? el("span", {class: "file"}, clean(file) + (line > 0 ? `:${line}` : "")) : null)
        }
        const here = below => `${share(below[node], below[0])} (${count(below[node])} samples, ${
            cpu(below[node], period)})`
        if (b) {
            const {difference, certain} = differ(a[node], a[0], b[node], b[0])
            parts.push(`A ${here(a)}, B ${here(b)}:`, el("strong", {}, `${points(difference)} points`),
                certain ? null : "(may be chance)")
        } else {
            const own = a[node] - children(this.tree, node).reduce((sum, child) => sum + a[child], 0)
            const ends = node === 0 ? "" : `, ${share(own, a[0])} ${this.state.reverse ? "begin" : "end"} here`
            parts.push(here(a) + ends, this.parts(node))
        }
        this.said.replaceChildren(...parts.filter(part => part).flatMap(part => [part, " "]))
    }

    // parts lists what a node is made of, by colour, if that is more than one thing.
    parts(node) {
        const box = this.boxes.findIndex(box => box.node === node), {categories} = this.colours
        const list = categories.map(({name}, c) => [name, this.drawn.shares[box * categories.length + c]])
            .filter(([, part]) => part >= 0.005).sort((a, b) => b[1] - a[1])
        return node === 0 || box < 0 || list.length === 0 ? null
            : "· " + list.map(([name, part]) => `${clean(name)} ${share(part, 1)}`).join(", ")
    }

    click(node) {
        this.canvas.focus({preventScroll: true})
        if (node !== null) {
            this.zoom(node)
        }
    }

    zoom(node) {
        if (node !== this.top) {
            this.store.set({zoom: pathTo(this.tree, node)})
        }
    }

    // move gives a node the focus.
    move(node) {
        this.focus = node
        const y = this.tree.depth[node] * rowHeight, {scrollTop, clientHeight} = this.scroller
        if (y < scrollTop || y + rowHeight > scrollTop + clientHeight) {
            this.scroller.scrollTop = y - clientHeight / 2
        }
        this.say(node)
        this.draw()
    }

    key(event) {
        const {tree, focus} = this, siblings = () => this.visible(tree.parent[focus])
        const next = step => siblings()[siblings().indexOf(focus) + step] ?? focus
        const moves = {
            ArrowUp: () => this.move(tree.parent[focus]), ArrowLeft: () => this.move(focus && next(-1)),
            ArrowRight: () => this.move(focus && next(1)),
            ArrowDown: () => this.move(this.widest(this.visible(focus)) ?? focus),
            Enter: () => this.zoom(focus), Backspace: () => this.zoom(tree.parent[this.top]),
            Escape: () => this.zoom(0), Home: () => this.move(this.top),
        }
        if (moves[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault()
            moves[event.key]()
        }
    }

    widest(nodes) {
        return nodes.sort((a, b) => this.weights[b] - this.weights[a])[0]
    }

    visible(node) {
        return children(this.tree, node).filter(child => this.boxOf.has(child))
    }

    showTools(state) {
        const {store} = this
        const colours = [["kind", "kind of code"], ["tier", "tier"]].concat(this.analysis.dimensions
            .filter(({id}) => !/^label:.*_id$/.test(id)).map(({id, title}) => [id, clean(title)]))
        const pressed = (on, key) => ({"aria-pressed": String(on), "data-key": key})
        replace(this.tools,
            button("JavaScript only", () => store.set({frames: state.frames === "js" ? "all" : "js", zoom: []}), {
                ...pressed(state.frames === "js", "js"), title: "Without frames of Node, V8, libraries and the kernel",
            }),
            button("Reverse", () => store.set({reverse: !state.reverse, zoom: []}), {
                ...pressed(state.reverse, "reverse"), title: "Leaves at the top, callers below",
            }),
            button("Lines", () => store.set({merge: state.merge === "line" ? "function" : "line", zoom: []}), {
                ...pressed(state.merge === "line", "lines"), title: "Each line of a function by itself",
            }),
            state.b ? el("span", {class: "choice"}, "Colour: difference")
                : select("Colour", colours, state.colour, colour => store.set({colour})),
            state.zoom.length > 0
                ? button("Whole graph", () => store.set({zoom: []}), {"data-key": "whole"}) : null,
            this.showFound())
    }

    showFound() {
        if (!this.isFound) {
            return null
        }
        const {a, b, foundA, foundB} = this, name = b ? "A " : ""
        return el("span", {class: "found", id: "found"}, `found in ${name}${share(foundA, a[0])} (${
            count(foundA)} samples)${b ? `, B ${share(foundB, b[0])} (${count(foundB)})` : ""}`)
    }

    showLegend() {
        const swatch = (colour, text) => el("span", {}, block(colour), text)
        if (this.b) {
            this.legend.replaceChildren(swatch(differenceColour(1), "more in A"),
                swatch(differenceColour(-1), "less in A"),
                swatch(differenceColour(0), "the same, or the difference may be chance"),
                el("span", {}, "width: mean of the shares in A and B"))
            return
        }
        const swatches = this.colours.categories.map(({name, colour}) => swatch(pick(colour), clean(name)))
        const without = this.a[0] - children(this.tree, 0).reduce((sum, child) => sum + this.a[child], 0)
        this.legend.replaceChildren(...swatches, without > 0
            ? el("span", {}, `nothing: ${share(without, this.a[0])} have no JavaScript`) : "")
    }
}

function block(colour) {
    const element = el("i", {class: "swatch", "aria-hidden": "true"})
    element.style.background = colour
    return element
}

function keys() {
    return el("p", {class: "keys", id: "flame-keys"}, "Click or Enter: zoom. Arrows: move. Backspace: zoom out. ",
        "Escape or double click: whole graph.")
}
