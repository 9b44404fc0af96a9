// Nodes interns children of nodes by key. Node 0 is the root; the number of a node is greater than its parent's.
class Nodes {
    constructor(expected) {
        let size = 1024
        while (size < expected * 2) {
            size *= 2
        }
        this.table = new Int32Array(size)
        this.parent = new Int32Array(size / 2)
        this.key = new Int32Array(size / 2)
        this.length = 1
    }

    child(parent, key) {
        const {table} = this, mask = table.length - 1
        let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(key, 0x85ebca6b)) >>> 7 & mask
        for (let node = table[at]; node !== 0; at = at + 1 & mask, node = table[at]) {
            if (this.parent[node] === parent && this.key[node] === key) {
                return node
            }
        }
        return table[at] = this.add(parent, key)
    }

    add(parent, key) {
        const node = this.length++
        this.parent[node] = parent
        this.key[node] = key
        if (this.length === this.parent.length) {
            this.grow()
        }
        return node
    }

    grow() {
        const larger = new Nodes(this.length * 2)
        larger.parent.set(this.parent)
        larger.key.set(this.key)
        const mask = larger.table.length - 1
        for (let node = 1; node < this.length; node++) {
            let at = (Math.imul(this.parent[node], 0x9e3779b1) ^ Math.imul(this.key[node], 0x85ebca6b)) >>> 7 & mask
            while (larger.table[at] !== 0) {
                at = at + 1 & mask
            }
            larger.table[at] = node
        }
        // The caller writes the last node into its own table, which is dropped here: it is in the larger one already.
        this.table = larger.table
        this.parent = larger.parent
        this.key = larger.key
    }
}

// framesFromRoot is the tree of stacks as the profile has it: its keys are frames.
export function framesFromRoot(profile) {
    const {parent, frame, length} = profile.nodes
    return {parent, key: frame, length, stacks: profile.stacks}
}

// framesFromLeaf is the tree of stacks that begin with their leaves.
export function framesFromLeaf(profile) {
    const {parent, frame} = profile.nodes, nodes = new Nodes(profile.nodes.length)
    const stacks = profile.stacks.map(leaf => {
        let at = 0
        for (let node = leaf; node !== 0; node = parent[node]) {
            at = nodes.child(at, frame[node])
        }
        return at
    })
    return {parent: nodes.parent, key: nodes.key, length: nodes.length, stacks}
}

// merge makes one node of those that have equal keys and parents that are one, where keyOf gives the key of a frame, or
// -1 to leave it out, and rankOf the order of keys among siblings. It returns the tree in depth-first order:
//
//     parent, key    of each node
//     end            the number of the first node that is not below a node
//     depth          0 for the root
//     stacks         the node where each stack ends
//     of             the node of each node of the tree of frames, that of its parent if it is left out
export function merge(frames, keyOf, rankOf) {
    const nodes = new Nodes(frames.length), of = new Int32Array(frames.length)
    for (let i = 1; i < frames.length; i++) {
        const parent = of[frames.parent[i]], key = keyOf[frames.key[i]]
        of[i] = key < 0 ? parent : nodes.child(parent, key)
    }
    const {number, ...tree} = depthFirst(nodes, rankOf)
    for (let i = 0; i < of.length; i++) {
        of[i] = number[of[i]]
    }
    return {...tree, frames, of, keyOf, stacks: frames.stacks.map(node => of[node])}
}

function depthFirst(nodes, rankOf) {
    const n = nodes.length, {first, next} = siblings(nodes, rankOf)
    const parent = new Int32Array(n), key = new Int32Array(n), end = new Int32Array(n), depth = new Int32Array(n)
    const number = new Int32Array(n)
    key[0] = -1
    for (let at = 0, count = 1; ;) {
        if (first[at] !== 0) {
            at = first[at]
        } else {
            while (at !== 0 && next[at] === 0) {
                end[number[at]] = count
                at = nodes.parent[at]
            }
            end[number[at]] = count
            if (at === 0) {
                break
            }
            at = next[at]
        }
        const new_ = number[at] = count++
        parent[new_] = number[nodes.parent[at]]
        key[new_] = nodes.key[at]
        depth[new_] = depth[parent[new_]] + 1
    }
    return {parent, key, end, depth, number, length: n}
}

// siblings links the children of each node in the order of their ranks.
function siblings(nodes, rankOf) {
    const n = nodes.length, first = new Int32Array(n), next = new Int32Array(n)
    const starts = new Int32Array(rankOf.length + 1), order = new Int32Array(n - 1)
    for (let i = 1; i < n; i++) {
        starts[rankOf[nodes.key[i]] + 1]++
    }
    for (let i = 1; i < starts.length; i++) {
        starts[i] += starts[i - 1]
    }
    for (let i = 1; i < n; i++) {
        order[starts[rankOf[nodes.key[i]]]++] = i
    }
    for (let i = order.length - 1; i >= 0; i--) {
        const node = order[i], parent = nodes.parent[node]
        next[node] = first[parent]
        first[parent] = node
    }
    return {first, next}
}

// weigh returns the samples of each node, of samples by stack.
export function weigh(tree, byStack) {
    const weights = new Int32Array(tree.length), {parent, stacks} = tree
    for (let i = 0; i < byStack.length; i++) {
        weights[stacks[i]] += byStack[i]
    }
    for (let i = tree.length - 1; i > 0; i--) {
        weights[parent[i]] += weights[i]
    }
    return weights
}
