import {el} from "./dom.js"

// Tabs shows one of several views, which are {id, title, view}.
export class Tabs {
    constructor(store, views) {
        Object.assign(this, {store, views})
        this.buttons = views.map(({id, title}) => el("button", {
            type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`,
            onclick: () => store.set({view: id}), onkeydown: event => this.key(event),
        }, title))
        this.panels = views.map(({id, view}) => el("section", {
            role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`,
        }, view.element))
        this.element = el("div", {class: "tabs"}, el("div", {role: "tablist", "aria-label": "Views"}, this.buttons),
            this.panels)
    }

    show(state) {
        const at = Math.max(0, this.views.findIndex(({id}) => id === state.view))
        this.buttons.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === at))
            tab.tabIndex = i === at ? 0 : -1
            this.panels[i].hidden = i !== at
        })
        this.views[at].view.show(state)
    }

    key(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], n = this.views.length
        if (step) {
            const next = (this.buttons.indexOf(event.target) + step + n) % n
            this.store.set({view: this.views[next].id})
            this.buttons[next].focus()
        }
    }
}
