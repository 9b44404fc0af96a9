'use strict'
// Holds objects of known kinds and numbers, has V8 write a snapshot of its heap, and ends or waits.
// node --expose-gc objects.js DIRECTORY abort|wait
const fs = require('fs')
const path = require('path')
const v8 = require('v8')

const [directory, how] = process.argv.slice(2)

class Session { constructor (id) { this.id = id; this.user = 'user ' + id } }
class Admin extends Session { #secret = 1; constructor (id) { super(id); this.rights = [id] } secret () { return this.#secret } }
class Slack { constructor (n) { for (let i = 0; i < n; i++) this['field' + i] = i } }
class Sparse { constructor (id) { this.id = id; for (let i = 0; i < 40; i++) this['k' + i] = i; delete this.k7 } }
class Entry { constructor (next) { this.next = next } }
function Old (id) { this.id = id }
function Bare (id) { this.id = id }
Bare.prototype = Object.create(null)

// hold makes n of what make makes.
const hold = (n, make) => Array.from({ length: n }, (_, i) => make(i))

const keep = {
  sessions: hold(5000, (i) => new Session(i)),
  admins: hold(700, (i) => new Admin(i)),
  slack: hold(300, () => new Slack(3)),
  sparse: hold(90, (i) => new Sparse(i)),
  old: hold(1234, (i) => new Old(i)),
  bare: hold(333, (i) => new Bare(i)),
  maps: hold(400, (i) => new Map([[i, i]])),
  sets: hold(410, (i) => new Set([i])),
  dates: hold(420, (i) => new Date(i)),
  floats: hold(430, () => new Float64Array(3)),
  promises: hold(440, () => Promise.resolve(1)),
  errors: hold(50, (i) => new RangeError('no ' + i)),
  weak: hold(60, () => new WeakMap()),
  generators: hold(70, function * () { yield 1 }),
  later: hold(80, async function * () { yield 1 }),
  given: hold(90, function () { return arguments }),
  walks: hold(110, () => [1][Symbol.iterator]()),
  large: new Array(300000).fill(0).map((_, i) => i),
  numbers: new Array(90000).fill(0).map((_, i) => i + 0.5)
}
let chain = null
for (let i = 0; i < 2500; i++) chain = new Entry(chain)
keep.chain = chain

// Admin.prototype is an object that Session has made, as far as its prototypes say.
const truth = {
  Session: 5001, Admin: 700, Slack: 300, Sparse: 90, Old: 1234, Bare: 333, Map: 400, Set: 410, Date: 420, Float64Array: 430,
  Promise: 440, RangeError: 50, WeakMap: 60, Entry: 2500,
  Generator: 70, AsyncGenerator: 80, Arguments: 90, 'Array Iterator': 110
}

// Rubbish that both kinds of collections find.
for (let i = 0; i < 200000; i++) keep.last = new Session(i)
keep.last = null
global.gc()
for (let i = 0; i < 50000; i++) keep.last = { rubbish: i }
keep.last = null
global.gc()
fs.writeFileSync(path.join(directory, 'truth.json'), JSON.stringify(truth))
v8.writeHeapSnapshot(path.join(directory, 'heap.heapsnapshot'))
global.keep = keep
if (how === 'abort') process.abort()
fs.writeSync(2, 'ready\n')
setInterval(() => {}, 100000)
