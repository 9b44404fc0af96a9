import {step} from "./bins.js"
import {accent, bad, heat, line, paper, pick, quiet, second} from "./colours.js"

// The heights of what stands above the rows of the heat map, and of a row, which are those of the table beside it.
export const headHeight = 76
export const lineHeight = 26
const axisHeight = 18
const font = `11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`

// drawTimes draws the CPU use of all, above the heat map by row, and the ranges on both.
export function drawTimes(context, all) {
    context.fillStyle = pick(paper)
    context.fillRect(0, 0, all.width, all.height)
    context.font = font
    drawUse(context, all)
    drawHeat(context, all)
    drawAxis(context, all, all.width - drawMost(context, all))
    drawUnrecorded(context, all)
    drawLosses(context, all)
    drawRanges(context, all)
}

// drawUse draws the CPU use as bars: behind, of all samples, and before it of those that are chosen.
function drawUse(context, {width, n, counts}) {
    const most = counts.subarray(0, n).reduce((a, b) => Math.max(a, b), 1)
    const room = headHeight - axisHeight - 6, cell = width / n
    for (const [from, colour] of [[0, pick(line)], [n, heat(0.45)]]) {
        context.fillStyle = colour
        for (let i = 0; i < n; i++) {
            const height = counts[from + i] / most * room
            context.fillRect(i * cell, axisHeight + 4 + room - height, Math.max(1, cell - (cell > 4 ? 1 : 0)), height)
        }
    }
}

// drawMost says how much CPU the highest bar stands for, and returns how wide that is.
function drawMost(context, {profile, width, window, n, counts}) {
    const most = counts.subarray(0, n).reduce((a, b) => Math.max(a, b), 0)
    const cpus = most * profile.header.Period / 1000 / ((window[1] - window[0]) / n)
    const text = `highest: ${cpus.toFixed(cpus < 10 ? 2 : 0)} CPUs`, wide = context.measureText(text).width
    context.fillStyle = pick(quiet)
    context.textBaseline = "middle"
    context.fillText(text, width - wide - 2, axisHeight / 2)
    return wide + 10
}

function drawHeat(context, {width, n, rows, counts, dimmed}) {
    let most = 0
    for (let i = 2 * n; i < counts.length; i++) {
        most = Math.max(most, counts[i])
    }
    const cell = width / n
    for (let row = 0; row < rows; row++) {
        const y = headHeight + row * lineHeight
        context.globalAlpha = dimmed[row] ? 0.4 : 1
        context.fillStyle = heat(0)
        context.fillRect(0, y + 1, width, lineHeight - 2)
        for (let i = 0; i < n; i++) {
            const samples = counts[(row + 2) * n + i]
            if (samples > 0) {
                context.fillStyle = heat(0.06 + 0.94 * samples / most)
                context.fillRect(i * cell, y + 1, Math.ceil(cell), lineHeight - 2)
            }
        }
    }
    context.globalAlpha = 1
}

// drawAxis draws the time of day, as far as there is room.
function drawAxis(context, {profile, width, window}, room) {
    const perPixel = (window[1] - window[0]) / width
    context.textBaseline = "middle"
    for (const [at, text] of profile.ticks(window[0], window[1], step(perPixel * 90))) {
        const x = (at - window[0]) / perPixel
        if (x + 4 + context.measureText(text).width < room) {
            context.fillStyle = pick(line)
            context.fillRect(x, 0, 1, axisHeight)
            context.fillStyle = pick(quiet)
            context.fillText(text, x + 4, axisHeight / 2)
        }
    }
}

// drawUnrecorded hatches the time between recordings.
function drawUnrecorded(context, all) {
    const {Intervals, Start} = all.profile.header
    let before = 0
    for (const [from, to] of [...Intervals.map(range => range.map(time => time - Start)),
        [all.profile.duration, all.profile.duration]]) {
        if (from - before > 1000) {
            const [x, end] = pixels([before, from], all)
            context.strokeStyle = pick(line)
            context.beginPath()
            for (let at = x - all.height; at < end; at += 8) {
                const low = Math.max(0, x - at), high = Math.min(all.height, end - at)
                if (high > low) {
                    context.moveTo(at + low, all.height - low)
                    context.lineTo(at + high, all.height - high)
                }
            }
            context.stroke()
        }
        before = Math.max(before, to)
    }
}

// drawLosses marks when samples were lost.
function drawLosses(context, all) {
    const {Lost, Start} = all.profile.header
    context.fillStyle = pick(bad)
    for (const {Start: from, End: to} of Lost) {
        const [x, end] = pixels([from - Start, to - Start], all)
        context.fillRect(x, axisHeight, Math.max(2, end - x), 3)
    }
}

// drawRanges veils what is in no range.
function drawRanges(context, all) {
    const ranges = [[all.state.a, pick(accent), "A"], [all.state.b, pick(second), "B"]].filter(([range]) => range)
    if (ranges.length === 0) {
        return
    }
    const parts = ranges.map(([range]) => pixels(range, all)).sort((a, b) => a[0] - b[0])
    context.fillStyle = pick(paper)
    context.globalAlpha = 0.6
    let before = 0
    for (const [x, end] of [...parts, [all.width, all.width]]) {
        context.fillRect(before, axisHeight + 4, Math.max(0, x - before), all.height)
        before = Math.max(before, end)
    }
    context.globalAlpha = 1
    for (const [range, colour, name] of ranges) {
        const [x, end] = pixels(range, all)
        context.fillStyle = colour
        context.fillRect(x, axisHeight, 2, all.height)
        context.fillRect(end - 2, axisHeight, 2, all.height)
        context.fillRect(x, axisHeight, end - x, 2)
        context.font = `bold ${font}`
        context.textBaseline = "top"
        context.fillText(name, x + 5, axisHeight + 5)
        context.font = font
    }
}

function pixels(range, {window, width}) {
    return range.map(time => Math.max(0, Math.min(width, (time - window[0]) / (window[1] - window[0]) * width)))
}
