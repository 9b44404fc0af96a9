import {accent, differenceColour, ink, line, paper, pick} from "./colours.js"

export const rowHeight = 19
const font = `12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif`

// paint draws the boxes of a flame graph that are between two heights of it.
//
//     boxes      of layout, and shares or differences of each
//     colours    of the categories
//     found      whether a box was found by the search; null without one
//     marked     the box under the pointer, and the one with the focus
export function paint(context, {width, height, top}, drawn, marked) {
    const {boxes, depth, shares, colours, differences, found, text} = drawn
    context.fillStyle = pick(paper)
    context.fillRect(0, 0, width, height)
    context.font = font
    context.textBaseline = "middle"
    const dark = pick(ink)
    for (let i = 0; i < boxes.length; i++) {
        const box = boxes[i], y = depth(box.node) * rowHeight - top
        if (y + rowHeight < 0 || y > height) {
            continue
        }
        context.globalAlpha = found && !found(box.node) ? 0.35 : 1
        const wide = Math.max(0.7, box.width - (box.width > 3 ? 1 : 0))
        if (differences) {
            context.fillStyle = differenceColour(differences[i])
            context.fillRect(box.x, y, wide, rowHeight - 1)
        } else {
            stripes(context, box.x, y, wide, shares, i * colours.length, colours)
        }
        if (box.width > 28) {
            context.fillStyle = dark
            write(context, text(box.node), box.x + 4, y + rowHeight / 2, box.width - 9)
        }
    }
    context.globalAlpha = 1
    marked.forEach(box => box && outline(context, box, depth(box.node) * rowHeight - top))
}

// stripes fills a box with the colours of its parts, side by side. Without parts it is the root, which has no colour.
function stripes(context, x, y, width, shares, at, colours) {
    let from = x, none = true
    for (let c = 0; c < colours.length; c++) {
        const part = shares[at + c] * width
        if (part > 0) {
            none = false
            context.fillStyle = colours[c]
            context.fillRect(from, y, part, rowHeight - 1)
            from += part
        }
    }
    if (none) {
        context.fillStyle = pick(line)
        context.fillRect(x, y, width, rowHeight - 1)
    }
}

function outline(context, box, y) {
    context.strokeStyle = pick(accent)
    context.lineWidth = 2
    context.strokeRect(box.x + 1, y + 1, Math.max(1, box.width - 3), rowHeight - 3)
}

// write draws as much of a text as there is room for.
function write(context, text, x, y, room) {
    if (context.measureText(text).width <= room) {
        context.fillText(text, x, y)
        return
    }
    let low = 0, high = Math.min(text.length, Math.ceil(room / 3))
    while (low < high) {
        const middle = low + high + 1 >> 1
        if (context.measureText(text.slice(0, middle) + "…").width <= room) {
            low = middle
        } else {
            high = middle - 1
        }
    }
    if (low > 1) {
        context.fillText(text.slice(0, low) + "…", x, y)
    }
}
