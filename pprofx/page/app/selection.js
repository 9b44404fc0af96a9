import {classCount} from "./classes.js"

// admitted says which sets of labels, threads, classes and ages a state of the page admits. Values of one dimension add
// up, dimensions restrict each other. A dimension that is left out restricts nothing. An age is the least that is
// admitted, as rows have it: 0 admits also those that are not known.
export function admitted(profile, dimensions, {filters, older}, leftOut) {
    const all = {
        age: older > 0 ? older + 1 : 0,
        set: new Uint8Array(profile.sets).fill(1),
        thread: new Uint8Array(profile.threads.tid.length).fill(1),
        class: new Uint8Array(classCount).fill(1),
    }
    for (const dimension of dimensions) {
        const names = filters.get(dimension.id)
        if (!names || dimension === leftOut) {
            continue
        }
        const values = new Set(Array.from(names, name => dimension.number(name)))
        const list = all[dimension.kind]
        dimension.column.forEach((value, i) => {
            list[i] &= values.has(value)
        })
    }
    return all
}

// countStacks counts the admitted samples of a range of rows: by stack and, within it, class.
export function countStacks(profile, [from, to], admits) {
    const {rows} = profile, counts = new Int32Array(profile.stacks.length * classCount)
    const {stack, set, thread, class: classes, age} = rows
    let total = 0
    for (let i = from; i < to; i++) {
        if (admits.set[set[i]] & admits.thread[thread[i]] & admits.class[classes[i]] & age[i] >= admits.age) {
            counts[stack[i] * classCount + classes[i]]++
            total++
        }
    }
    return {from, to, counts, total}
}

// countGroups counts admitted samples by value of a dimension and, within it, class.
export function countGroups(profile, [from, to], admits, dimension) {
    const {set, thread, class: classes, age} = profile.rows
    const counts = new Int32Array(dimension.size * classCount), {column} = dimension
    const of = profile.rows[dimension.kind]
    for (let i = from; i < to; i++) {
        if (admits.set[set[i]] & admits.thread[thread[i]] & admits.class[classes[i]] & age[i] >= admits.age) {
            counts[column[of[i]] * classCount + classes[i]]++
        }
    }
    return counts
}

// countBy counts admitted samples by stack and, within it, category, where a category is given for each value of a
// dimension.
export function countBy(profile, [from, to], admits, dimension, category, categories) {
    const {stack, set, thread, class: classes, age} = profile.rows
    const counts = new Int32Array(profile.stacks.length * categories), {column} = dimension
    const of = profile.rows[dimension.kind]
    for (let i = from; i < to; i++) {
        if (admits.set[set[i]] & admits.thread[thread[i]] & admits.class[classes[i]] & age[i] >= admits.age) {
            counts[stack[i] * categories + category[column[of[i]]]]++
        }
    }
    return counts
}

// countAgeless counts the samples of a range of rows of which no age is known, and which all else admits.
export function countAgeless(profile, [from, to], admits) {
    const {set, thread, class: classes, age} = profile.rows
    let total = 0
    for (let i = from; i < to; i++) {
        total += age[i] === 0 & admits.set[set[i]] & admits.thread[thread[i]] & admits.class[classes[i]]
    }
    return total
}

// groupsOf lists the values of a dimension that have samples, the greatest first: {value, samples, compared, classes}.
// Those compared are of a second range.
export function groupsOf(dimension, counts, others) {
    const list = [], samples = sumClasses(counts), compared = others && sumClasses(others)
    for (let value = 0; value < dimension.size; value++) {
        const here = samples[value], there = compared ? compared[value] : 0
        if (here > 0 || there > 0) {
            const classes = counts.subarray(value * classCount, (value + 1) * classCount)
            list.push({value, samples: here, compared: there, classes})
        }
    }
    list.sort((a, b) => b.samples - a.samples || b.compared - a.compared || a.value - b.value)
    return list
}

// sumClasses adds up the classes of each stack or value.
export function sumClasses(counts) {
    const sums = new Int32Array(counts.length / classCount)
    for (let i = 0, at = 0; i < sums.length; i++) {
        let sum = 0
        for (let c = 0; c < classCount; c++) {
            sum += counts[at++]
        }
        sums[i] = sum
    }
    return sums
}
