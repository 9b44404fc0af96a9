import {classColours, kindColours, none, rest, series, tierColours} from "./colours.js"
import {groupsOf} from "./selection.js"
import {weigh} from "./tree.js"

// A colouring has categories {name, colour}, and says for boxes of a flame graph which part of each belongs to which:
// shares(boxes) is a list of as many numbers a box, each from 0 to 1.

// colouring returns the one that the state of the page names.
export function colouring(analysis, state, tree) {
    const dimension = analysis.dimension(state.colour)
    if (dimension) {
        return byDimension(analysis, state, tree, dimension)
    }
    return byFrame(analysis, state, tree, state.colour === "tier" ? tiers(analysis.profile) : kinds(analysis.profile))
}

function kinds(profile) {
    const categories = profile.header.Kinds.map(name => ({name, colour: kindColours[name] ?? none}))
    return {categories, of: frame => profile.kind(frame)}
}

function tiers(profile) {
    const categories = profile.header.Tiers.map(name => ({name: name || "no JavaScript", colour: tierColours[name]}))
    return {categories, of: frame => profile.tier(frame)}
}

// byFrame is for what each frame has one of. A node may be of many frames.
function byFrame(analysis, state, tree, {categories, of}) {
    const weights = weigh(tree.frames, analysis.select(state).a.byStack), n = categories.length
    const shares = boxes => {
        const list = new Float32Array(boxes.length * n), boxOf = new Int32Array(tree.length).fill(-1)
        boxes.forEach((box, i) => { boxOf[box.node] = i })
        for (let i = 1; i < weights.length; i++) {
            const box = boxOf[tree.of[i]], frame = tree.frames.key[i]
            if (box >= 0 && weights[i] > 0 && tree.keyOf[frame] >= 0) {
                list[box * n + of(frame)] += weights[i]
            }
        }
        return normal(list, n)
    }
    return {categories, shares}
}

// byDimension is for what each sample has one of: the greatest values of the whole profile have colours.
function byDimension(analysis, state, tree, dimension) {
    const {categories, of} = valueColours(analysis, dimension), n = categories.length
    const counts = analysis.countBy(state, dimension, of, n)
    const shares = boxes => {
        const list = new Float32Array(boxes.length * n), boxOf = deepest(tree, boxes)
        for (let stack = 0, from = 0; stack < tree.stacks.length; stack++) {
            const at = boxOf[tree.stacks[stack]] * n
            for (let c = 0; c < n; c++) {
                list[at + c] += counts[from++]
            }
        }
        for (let i = boxes.length - 1; i > 0; i--) {
            const above = boxOf[tree.parent[boxes[i].node]]
            for (let c = 0; c < n; c++) {
                list[above * n + c] += list[i * n + c]
            }
        }
        return normal(list, n)
    }
    return {categories, shares}
}

// deepest returns for each node which box is its own, or the nearest above it.
function deepest(tree, boxes) {
    const list = new Int32Array(tree.length).fill(-1)
    boxes.forEach(({node}, i) => { list[node] = i })
    for (let node = 1; node < tree.length; node++) {
        if (list[node] < 0) {
            list[node] = list[tree.parent[node]]
        }
    }
    return list
}

// valueColours returns categories, and the category of each value.
export function valueColours(analysis, dimension) {
    return analysis.once("colours " + dimension.id, () => {
        const everything = {filters: new Map(), older: 0}
        const groups = groupsOf(dimension, analysis.groups(everything, dimension, null))
        const categories = [], of = new Int32Array(dimension.size).fill(-1)
        const add = (value, name, colour) => {
            of[value] = categories.length
            categories.push({name, colour})
        }
        groups.filter(({value}) => dimension.name(value) !== "").slice(0, series.length).forEach(({value}, i) => {
            const name = dimension.name(value)
            add(value, name, dimension.id === "class" ? classColours[name] : series[i])
        })
        const without = dimension.number("")
        if (without >= 0) {
            add(without, `no ${dimension.title}`, none)
        }
        if (of.includes(-1)) {
            of.forEach((category, value) => { of[value] = category < 0 ? categories.length : category })
            categories.push({name: "others", colour: rest})
        }
        return {categories, of}
    })
}

function normal(list, n) {
    for (let i = 0; i < list.length; i += n) {
        let sum = 0
        for (let c = 0; c < n; c++) {
            sum += list[i + c]
        }
        for (let c = 0; c < n && sum > 0; c++) {
            list[i + c] /= sum
        }
    }
    return list
}
