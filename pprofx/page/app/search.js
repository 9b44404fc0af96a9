import {place} from "./format.js"

// search returns which functions have a text in their name or file, in any case; null for no text.
export function search(profile, text) {
    const wanted = text.trim().toLowerCase()
    if (wanted === "") {
        return null
    }
    const found = new Uint8Array(profile.functions.length)
    for (let i = 0; i < found.length; i++) {
        found[i] = profile.functionName(i).toLowerCase().includes(wanted) ||
            profile.functionFile(i).toLowerCase().includes(wanted)
    }
    return found
}

// samplesWith returns how many samples have a frame that was found: nodes below one that was found count once.
export function samplesWith(tree, weights, isFound) {
    let sum = 0
    for (let node = 1; node < tree.length;) {
        if (isFound(node)) {
            sum += weights[node]
            node = tree.end[node]
        } else {
            node++
        }
    }
    return sum
}

export function nameOf(profile, keys, key, clean) {
    const name = clean(profile.functionName(keys.function[key]))
    return keys.line[key] > 0 ? `${name} ${place(profile.functionFile(keys.function[key]), keys.line[key])}` : name
}
