'use strict'
// Holds millions of objects of a known kind, until the heap has 2 GB, and waits.
// node --expose-gc --max-old-space-size=4000 large.js
const v8 = require('v8')
const fs = require('fs')

class Row { constructor (id, next) { this.id = id; this.name = 'row ' + id; this.price = id + 0.5; this.next = next } }

let rows = 0
let last = null
while (v8.getHeapStatistics().used_heap_size < 2 ** 31) {
  for (let i = 0; i < 100000; i++) last = new Row(rows++, last)
}
global.last = last
global.gc() // what V8 would do beside
fs.writeSync(2, `ready ${rows}\n`)
setInterval(() => {}, 100000)
