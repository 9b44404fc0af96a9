'use strict'
// Holds one object in many places, has V8 write a snapshot of its heap, and dies.
// node --expose-gc refs.js DIRECTORY
const path = require('path')
const v8 = require('v8')

class Held { constructor () { this.id = 1 } }
class Inside { constructor (held) { this.held = held } }
class Outside { constructor (held) { for (let i = 0; i < 30; i++) this['p' + i] = i; this.late = held } }
class Many { constructor (held) { this.first = held; this.second = held } }
class Table { constructor (held) { for (let i = 0; i < 40; i++) this['k' + i] = i; delete this.k3; this.entry = held } }
class Secret { #hidden; constructor (held) { this.#hidden = held } reveal () { return this.#hidden } }
class Items { constructor (held) { this.items = [0, 1, held, 3] } }
class Cache { constructor (held) { this.map = new Map([['key', held]]) } }

// scope keeps the object in a variable that a function uses.
const scope = (kept) => function user () { return kept }

// registry has two objects that live, and the object for when the first has died.
function registry (held) {
  const out = new FinalizationRegistry(() => {})
  out.token = {}
  out.register(out.token, held)
  out.register(held, 1)
  return out
}

const make = (held) => [new Inside(held), new Outside(held), new Many(held), new Table(held), new Secret(held),
  new Items(held), new Cache(held), scope(held), new WeakRef(held), new WeakMap([[held, 1]]), new WeakSet([held]),
  new Proxy(held, {}), registry(held)]
global.all = make(new Held())

// What a WeakRef was made of is kept alive until the next turn.
setTimeout(() => {
  global.gc()
  global.gc()
  v8.writeHeapSnapshot(path.join(process.argv[2], 'heap.heapsnapshot'))
  process.abort()
}, 10)
