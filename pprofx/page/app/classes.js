// What the CPU did in a sample, as pprofx/report/class.go has it.
export const classNames = ["gc", "compiler", "pool", "kernel", "native", "js"]
export const classCount = classNames.length

const gc = 0, compiler = 1, pool = 2, kernel = 3, native = 4, js = 5

// poolThread is the name of libuv's threads.
const poolThread = "libuv-worker"

// leafClasses returns what the leaf of each stack is.
export function leafClasses(profile) {
    const {Kinds} = profile.header, list = new Uint8Array(profile.stacks.length)
    const byKind = Kinds.map(kind => ({kernel, native, marker: native})[kind] ?? js)
    profile.stacks.forEach((node, i) => {
        list[i] = node === 0 ? native : byKind[profile.kind(profile.nodes.frame[node])]
    })
    return list
}

// classOf returns the column of classes.
export function classOf(profile, state, leaves) {
    const {stack, thread} = profile.rows, list = new Uint8Array(state.length)
    const gcState = profile.header.States.indexOf("gc"), compilerState = profile.header.States.indexOf("compiler")
    const pools = Uint8Array.from(profile.threads.name, name => profile.text(name) === poolThread)
    for (let i = 0; i < list.length; i++) {
        if (state[i] === gcState) {
            list[i] = gc
        } else if (state[i] === compilerState) {
            list[i] = compiler
        } else {
            list[i] = pools[thread[i]] ? pool : leaves[stack[i]]
        }
    }
    return list
}
