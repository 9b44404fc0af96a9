// layout returns the boxes of a flame graph: those that are at least narrowest wide, where the node zoom has the whole
// width, and its ancestors too. A box is {node, x, width}, and its row is the depth of its node.
export function layout(tree, weights, zoom, width, narrowest) {
    const boxes = []
    for (let node = zoom; node !== 0;) {
        node = tree.parent[node]
        boxes.unshift({node, x: 0, width})
    }
    const scale = width / weights[zoom], cursor = []
    if (!(weights[zoom] > 0)) {
        return boxes
    }
    cursor[tree.depth[zoom]] = 0
    for (let node = zoom; node < tree.end[zoom];) {
        const depth = tree.depth[node], x = cursor[depth], wide = weights[node] * scale
        cursor[depth] = x + wide
        cursor[depth + 1] = x
        if (wide < narrowest) {
            node = tree.end[node]
        } else {
            boxes.push({node, x, width: wide})
            node++
        }
    }
    return boxes
}

// follow returns the node at the end of a path of keys from the root; where there is none, the last there is.
export function follow(tree, path) {
    let at = 0
    for (const key of path) {
        const found = children(tree, at).find(node => tree.key[node] === key)
        if (found === undefined) {
            break
        }
        at = found
    }
    return at
}

// pathTo is what follow follows.
export function pathTo(tree, node) {
    const path = []
    for (; node !== 0; node = tree.parent[node]) {
        path.unshift(tree.key[node])
    }
    return path
}

export function children(tree, node) {
    const list = []
    for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
        list.push(child)
    }
    return list
}
