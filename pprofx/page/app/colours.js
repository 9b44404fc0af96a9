// Colours as [light, dark]: of the page in daylight and at night. Texts on them have a contrast of at least 4.5. Paper
// is light.

const dark = window.matchMedia("(prefers-color-scheme: dark)")
let printing = false

// onScheme calls a function when the colours change.
export function onScheme(changed) {
    dark.addEventListener("change", changed)
    addEventListener("beforeprint", () => {
        printing = true
        changed()
    })
    addEventListener("afterprint", () => {
        printing = false
        changed()
    })
}

function isDark() {
    return dark.matches && !printing
}

// pick returns the colour for now.
export function pick(pair) {
    return pair[isDark() ? 1 : 0]
}

export const ink = ["#1d1f21", "#eceef0"]
export const paper = ["#ffffff", "#16181b"]
export const quiet = ["#5c636a", "#a3abb3"]
export const line = ["#d9dde1", "#34393f"]
export const accent = ["#0b63ce", "#79b8ff"]
export const second = ["#8a3ea8", "#d7a6ee"]
export const bad = ["#b3261e", "#ff9a91"]

const grey = ["#dcdfe3", "#474c52"]
const amber = ["#f2c879", "#75571a"]
const blue = ["#a3c6e8", "#2b547b"]
const slate = ["#b4bec8", "#48535e"]
const peach = ["#edb391", "#7c4a2c"]
const pink = ["#e3b3d2", "#71405f"]
const violet = ["#c4b2ea", "#55468a"]
const olive = ["#cdd48f", "#5a6126"]
const red = ["#ee9d92", "#8a3a31"]
const teal = ["#8fd0c6", "#1f635a"]
const green = ["#a5d29b", "#3a6a36"]

export const kindColours = {
    js: amber, builtin: peach, regexp: pink, wasm: violet, native: blue, kernel: slate, jit: olive, marker: grey,
}

export const classColours = {gc: red, compiler: violet, pool: teal, kernel: slate, native: blue, js: amber}

export const tierColours = {
    ignition: red, sparkplug: amber, maglev: blue, turbofan: green, "": grey,
}

// series are for values that have no colour of their own.
export const series = [amber, blue, green, red, violet, peach, teal, pink]
export const rest = slate
export const none = grey

// heat is from nothing to the most, as shares of the CPU time of the busiest cell.
export function heat(share) {
    const [from, to] = isDark() ? [[32, 36, 41], [255, 190, 92]] : [[246, 244, 240], [176, 66, 12]]
    const at = Math.sqrt(Math.min(1, share))
    return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * at)).join(" ")})`
}

// difference is from less (blue) to more (red), for -1 to 1.
export function differenceColour(value) {
    const [zero, more, less] = isDark()
        ? [[66, 71, 77], [150, 48, 38], [30, 86, 150]]
        : [[226, 229, 232], [238, 130, 116], [120, 172, 230]]
    const at = Math.min(1, Math.abs(value)), to = value > 0 ? more : less
    return `rgb(${zero.map((c, i) => Math.round(c + (to[i] - c) * at)).join(" ")})`
}
