// Comparison of two selections by shares: each is of its own samples, so that ranges of different lengths compare.

// doubt is how many standard errors a difference has to exceed to be shown: chance alone exceeds them in one of 370.
const doubt = 3

// differ returns the share of a in all of a, less that of b in all of b, and whether it is more than chance.
export function differ(a, allA, b, allB) {
    if (!allA || !allB) {
        return {difference: 0, certain: false}
    }
    const difference = a / allA - b / allB, p = (a + b) / (allA + allB)
    const error = Math.sqrt(p * (1 - p) * (1 / allA + 1 / allB))
    return {difference, certain: Math.abs(difference) > doubt * error}
}

// both returns weights that are the means of the shares of two: what either has can be seen.
export function both(a, b) {
    const list = new Float64Array(a.length), ofA = a[0] ? 0.5 / a[0] : 0, ofB = b[0] ? 0.5 / b[0] : 0
    for (let i = 0; i < list.length; i++) {
        list[i] = a[i] * ofA + b[i] * ofB
    }
    return list
}
