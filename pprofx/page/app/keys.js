// functionKeys are those by which frames of one function are one; lineKeys tell its lines apart. A key has the function
// (and line) of the frames that it stands for, a rank among the others by name, and one of its frames.

export function functionKeys(profile) {
    const {frames, functions} = profile
    const names = Array.from({length: functions.length}, (_, i) => profile.functionName(i))
    const files = Array.from({length: functions.length}, (_, i) => profile.functionFile(i))
    const rankOf = ranks(functions.length, (a, b) => order(names[a], names[b]) || order(files[a], files[b]))
    return {
        keyOf: frames.function, rankOf, size: functions.length, function: Int32Array.from(names.keys()),
        line: new Int32Array(functions.length),
    }
}

export function lineKeys(profile, byFunction) {
    const {frames} = profile, numbers = new Map(), keyOf = new Int32Array(frames.length)
    const functions = [], lines = []
    for (let i = 0; i < frames.length; i++) {
        const id = frames.function[i] * 2 ** 26 + Math.min(frames.line[i], 2 ** 26 - 1)
        let key = numbers.get(id)
        if (key === undefined) {
            key = functions.length
            numbers.set(id, key)
            functions.push(frames.function[i])
            lines.push(frames.line[i])
        }
        keyOf[i] = key
    }
    const rankOf = ranks(functions.length, (a, b) =>
        byFunction.rankOf[functions[a]] - byFunction.rankOf[functions[b]] || lines[a] - lines[b])
    return {
        keyOf, rankOf, size: functions.length, function: Int32Array.from(functions), line: Int32Array.from(lines),
    }
}

function ranks(n, compare) {
    const sorted = Array.from({length: n}, (_, i) => i).sort(compare), list = new Int32Array(n)
    sorted.forEach((key, rank) => {
        list[key] = rank
    })
    return list
}

function order(a, b) {
    return a < b ? -1 : a > b ? 1 : 0
}
