'use strict'
// Changes its heap all the time, on the main thread and on a Worker. It says on standard output when SIGUSR2 comes.
// node churn.js
const fs = require('fs')
const { Worker, isMainThread } = require('worker_threads')

const ring = new Array(20000).fill(null)
let made = 0

function churn () {
  for (const end = Date.now() + 10; Date.now() < end;) {
    for (let i = 0; i < 1000; i++) ring[made++ % ring.length] = { made, list: [i] }
  }
  setImmediate(churn)
}

churn()
if (isMainThread) {
  new Worker(__filename)
  process.on('SIGUSR2', () => fs.writeSync(1, 'signal\n'))
  process.stdin.on('end', () => process.exit()).resume()
  setTimeout(() => fs.writeSync(2, 'ready\n'), 300)
}
