// el makes an element. Properties that begin with "on" are listeners, others are attributes; one that is undefined,
// null or false is left out. Children are elements and texts: nothing is ever read as HTML.
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) {
            element.addEventListener(name.slice(2), value)
        } else if (value !== undefined && value !== null && value !== false) {
            element.setAttribute(name, value === true ? "" : value)
        }
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined))
    return element
}

// button is one that says whether it is pressed, if pressed is given.
export function button(text, onclick, attributes = {}) {
    return el("button", {type: "button", onclick, ...attributes}, text)
}

// select is a list to choose from; options are [value, text].
export function select(label, options, value, onchange) {
    const list = el("select", {"aria-label": label, onchange: event => onchange(event.target.value)},
        options.map(([value, text]) => el("option", {value}, text)))
    list.value = value
    return el("label", {class: "choice"}, el("span", {}, label), list)
}

// replace gives an element other children. Those that are equal to what is there stay as they are: else a button would
// be gone between the press and the click if something is shown anew meanwhile. Where one with a data-key is replaced,
// the one with the same key gets its focus.
export function replace(element, ...children) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null
    const before = [...element.childNodes]
    const after = children.flat().filter(child => child !== null && child !== undefined).map((child, i) => {
        const node = child instanceof Node ? child : document.createTextNode(child)
        return before[i]?.isEqualNode(node) ? before[i] : node
    })
    const stay = new Set(after)
    after.forEach((node, i) => {
        const there = element.childNodes[i]
        if (there && there !== node && !stay.has(there)) {
            there.replaceWith(node)
        } else if (there !== node) {
            element.insertBefore(node, there ?? null)
        }
    })
    while (element.childNodes.length > after.length) {
        element.lastChild.remove()
    }
    if (focused?.dataset.key !== undefined && !focused.isConnected) {
        const {key} = focused.dataset, same = child => child.dataset.key === key
        Array.from(element.querySelectorAll("[data-key]")).find(same)?.focus({preventScroll: true})
    }
}

// fit gives a canvas the size of a box in CSS pixels, at the resolution of the screen, and returns its context.
export function fit(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1
    const wide = Math.max(1, Math.round(width * ratio)), high = Math.max(1, Math.round(height * ratio))
    if (canvas.width !== wide || canvas.height !== high) {
        Object.assign(canvas, {width: wide, height: high})
        Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`})
    }
    const context = canvas.getContext("2d")
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    return context
}
