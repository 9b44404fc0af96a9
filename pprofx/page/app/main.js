import {AboutView} from "./about_view.js"
import {Analysis} from "./analysis.js"
import {el} from "./dom.js"
import {Flame} from "./flame.js"
import {FunctionsView} from "./functions_view.js"
import {Overview} from "./overview.js"
import {unpack} from "./packed.js"
import {Profile} from "./profile.js"
import {StallsView} from "./stalls_view.js"
import {Store} from "./state.js"
import {header, Summary} from "./summary.js"
import {Tabs} from "./tabs.js"
import {TracesView} from "./traces_view.js"

async function open() {
    const profile = new Profile(await unpack(document.getElementById("profile")))
    const analysis = new Analysis(profile), store = new Store(first(profile))
    const overview = new Overview(analysis, store), summary = new Summary(analysis, store)
    const tabs = new Tabs(store, [
        {id: "flame", title: "Flame graph", view: new Flame(analysis, store)},
        {id: "functions", title: "Functions", view: new FunctionsView(analysis, store)},
        {id: "traces", title: "Traces", view: new TracesView(analysis, store)},
        {id: "stalls", title: "Stalls", view: new StallsView(analysis, store)},
        {id: "about", title: "Losses and processes", view: new AboutView(analysis)},
    ])
    document.getElementById("page").replaceChildren(header(profile, store), overview.element, summary.element,
        tabs.element)
    const show = state => {
        const begun = performance.now()
        overview.show(state)
        summary.show(state)
        tabs.show(state)
        painted("hotspan selection", begun)
    }
    store.listeners.push(show)
    show(store.state)
    painted("hotspan open", 0)
    addEventListener("keydown", event => searchKey(event, summary.input))
}

// first is what differs from other pages at first, if the page is of two recordings: the later one is compared with the
// earlier one.
function first({parts, header}) {
    if (parts.length < 2) {
        return {}
    }
    const range = ({from, to}) => [from, to], by = header.By ? {by: `label:${header.By}`} : {}
    return {a: range(parts.at(-1)), b: range(parts[0]), sort: "change", ...by}
}

// painted measures the time until the screen shows what was drawn, for whoever wants to know.
function painted(name, start) {
    requestAnimationFrame(() => setTimeout(() => performance.measure(name, {start, end: performance.now()})))
}

function searchKey(event, input) {
    const typing = event.target.matches("input, select, textarea")
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault()
        input.focus()
        input.select()
    }
}

open().catch(error => {
    const text = `This page cannot be shown: ${error.message}`
    document.getElementById("page").replaceChildren(el("p", {role: "alert"}, text))
    throw error
})
