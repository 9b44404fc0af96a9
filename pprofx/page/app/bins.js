// bins counts admitted samples of a stretch of time in n equal cells, for each row that a value of a dimension has. It
// returns rows × n counts, row by row, after a first row for all samples, admitted or not, and a second one for all
// that are admitted. rowOf is the row of each value, or -1; admits leaves the dimension out.
export function bins(profile, dimension, {admits, chosen, rowOf, rows}, [from, to], n) {
    const {time, set, thread, class: classes, age} = profile.rows
    const of = profile.rows[dimension.kind], {column} = dimension
    const counts = new Float64Array((rows + 2) * n), scale = n / (to - from), last = profile.before(to)
    for (let i = profile.before(from); i < last; i++) {
        const cell = Math.min(n - 1, Math.floor((time[i] - from) * scale))
        counts[cell]++
        if (admits.set[set[i]] & admits.thread[thread[i]] & admits.class[classes[i]] & age[i] >= admits.age) {
            const value = column[of[i]], row = rowOf[value]
            counts[n + cell] += chosen[value]
            if (row >= 0) {
                counts[(row + 2) * n + cell]++
            }
        }
    }
    return counts
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap(n => [n, n * 1e3]).concat(
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400].map(s => s * 1e6))
    .sort((a, b) => a - b)

// step returns a round time of at least so many µs.
export function step(least) {
    return steps.find(s => s >= least) ?? Math.ceil(least / 86400e6) * 86400e6
}
