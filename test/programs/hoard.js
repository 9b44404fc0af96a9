// Makes what a profiler may keep of a process large: MODE=wasm a function of WebAssembly with a long table of
// positions, MODE=lines scripts with millions of lines, MODE=templates functions that are evaluated, each of another
// text.
const vm = require("node:vm")

// leb is an unsigned number as WebAssembly writes it.
const leb = n => n < 0x80 ? [n] : [n & 0x7f | 0x80, ...leb(n >>> 7)]
const section = (id, ...bytes) => [id, ...leb(bytes.length), ...bytes]

// loads is a module whose one function follows a chain of words in memory, each by an instruction of its own.
function loads(count) {
  const step = i => [0x20, 0, 0x41, 0xf8, 1, 0x71, 0x28, 2, ...leb(i % 100 * 4), 0x21, 0] // get, and, i32.load, set
  const body = Uint8Array.from([1, 1, 0x7f, ...Array.from({length: count}, (_, i) => step(i)).flat(), 0x20, 0, 0x0b])
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, 1, 0x60, 0, 1, 0x7f), ...section(3, 1, 0),
    ...section(5, 1, 0, 1), ...section(7, 1, 1, 0x66, 0, 0)]
  const size = leb(body.length)
  return Buffer.from([...head, 10, ...leb(1 + size.length + body.length), 1, ...size, ...body])
}

function busy(f, milliseconds = 20) {
  for (const end = Date.now() + milliseconds; Date.now() < end;) f()
}

const modes = {
  wasm() {
    const {f} = new WebAssembly.Instance(new WebAssembly.Module(loads(20000))).exports
    return () => busy(f)
  },
  lines() {
    const text = "\n".repeat(40e6) + "(() => { let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n })"
    const all = Array.from({length: 8}, (_, i) => new vm.Script(text, {filename: `lines${i}.js`}).runInThisContext())
    return () => all.forEach(busy)
  },
  templates() {
    let n = 0
    return () => busy(new Function("n", `${`n = Math.imul(n, 31) + ${n++} | 0\n`.repeat(500)} return n`), 2)
  },
}

const step = modes[process.env.MODE]()
setInterval(step, 0)
console.error(`ready ${process.pid}`)
