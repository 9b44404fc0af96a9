import {classNames} from "./classes.js"
import {classColours, pick} from "./colours.js"
import {el} from "./dom.js"
import {share} from "./format.js"

// Of a bar's parts in words, those below this share of it are left out.
const least = 0.05

// classBar shows what the CPU did, as a bar with one part a class, and in words.
export function classBar(classes) {
    const total = classes.reduce((a, b) => a + b, 0)
    const parts = classNames.map((name, i) => [name, classes[i]]).filter(([, n]) => n > 0)
    const words = [...parts].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${share(n, total)}`).join(", ")
    const shown = parts.filter(([name, n]) => name !== "js" && n >= least * total)
        .map(([name, n]) => `${name} ${Math.round(100 * n / total)} %`).join(", ")
    const bar = el("span", {class: "bar", "aria-hidden": "true"}, parts.map(([name, n]) => {
        const part = el("i")
        part.style.width = `${100 * n / total}%`
        part.style.background = pick(classColours[name])
        return part
    }))
    return el("span", {class: "classes", title: words}, bar, el("span", {}, shown))
}
