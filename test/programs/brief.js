// Eight threads whose event loops wait for 60 ms between turns of 1 ms. Turns that took 40 ms all the same, such as
// when the machine was busy, are written down: when they began and how long they took, in nanoseconds. So is every
// 16th, which tells that no earlier one is missing.
const { Worker, isMainThread, threadId } = require('worker_threads')
const { writeSync } = require('fs')

const now = () => performance.timeOrigin + performance.now()
const busy = () => performance.now() - performance.nodeTiming.idleTime // by libuv

let left = busy()
let turns = 0

setInterval(() => {
  for (const end = performance.now() + 1; performance.now() < end;);
  const length = busy() - left
  if (length > 40 || ++turns % 16 === 0) {
    const turn = { thread: threadId, began: Math.round((now() - length) * 1e6), length: Math.round(length * 1e6) }
    writeSync(1, JSON.stringify(turn) + '\n')
  }
  left = busy()
}, 60)

if (isMainThread) for (let i = 0; i < 7; i++) new Worker(__filename)
