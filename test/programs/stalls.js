// Holds its event loop up, in places and for times that it writes down; where WAITS is set, some of them by waits. A
// Worker does the same. Of each turn, also of those that are not meant to be long, there are the route, when its
// callback began and how long it took, in nanoseconds, for how much of that it was in the function that is meant to be
// long, the gaps in which it did not run on a CPU, and how long libuv did not wait for events before and after the
// callback: that belongs to the turn as well.
const { AsyncLocalStorage } = require('async_hooks')
const { Worker, isMainThread, threadId } = require('worker_threads')
const { writeSync } = require('fs')

const requests = new AsyncLocalStorage()

// When the program began: performance.timeOrigin of Node 22 is a millisecond off, and the clock may have been set.
function origin() {
  let latest = 0
  for (let i = 0; i < 5; i++) {
    for (const begun = Date.now(); Date.now() === begun;);
    latest = Math.max(latest, Date.now() - performance.now()) // Date.now() cuts microseconds off, but not now
  }
  return latest
}

const start = origin()
const unix = (t) => Math.round((start + t) * 1e6)

const word = new Int32Array(new SharedArrayBuffer(4))
let gaps = []
let seen = 0

function look() {
  const t = performance.now()
  if (t - seen > 0.1) gaps.push({ from: unix(seen), to: unix(t) })
  seen = t
}

function spin(ms) {
  for (const end = performance.now() + ms; seen < end;) look()
}

function sortRows(ms) { spin(ms) }
function renderPage(ms) { spin(ms) }
function waitHere(ms) {
  Atomics.wait(word, 0, 0, ms)
  look()
}
function firstShort() { spin(2) }
function secondShort() { spin(2) }

const busy = () => Math.round((seen - performance.nodeTiming.idleTime) * 1e6)
let left = 0 // when the callback before ended
let around = 0
let ended = []

function enter() { // the first thing that a callback does
  seen = performance.now()
  around = busy() - left
  if (ended.length > 0) ended.at(-1).around += around
  gaps = []
  return unix(seen)
}

function leave(what, route, began, worked) { // the last thing
  look()
  ended.push({ what, route, thread: threadId, began, length: unix(seen) - began, worked, gaps, around })
  left = busy()
}

function write() { // in a turn of its own: a file may keep the thread waiting
  writeSync(1, ended.map((turn) => JSON.stringify(turn) + '\n').join(''))
  ended = []
}

const kinds = [
  function rows(done) {
    const began = enter()
    sortRows(120)
    done('sortRows', '/rows', began)
  },
  function page(done) {
    const began = enter()
    renderPage(300)
    done('renderPage', '/page', began)
  },
  function brief(done) {
    const began = enter()
    sortRows(20)
    done('sortRows', '/brief', began)
  },
  function crowd(done) { // many callbacks in one turn, the one after this, of two requests
    let began = enter()
    setImmediate(() => { began = enter() })
    for (let i = 0; i < 100; i++) {
      requests.run({ route: i % 2 ? '/odd' : '/even' }, () => setImmediate(i % 2 ? firstShort : secondShort))
    }
    setImmediate(() => done('callbacks', '', began))
    leave('other', '', began)
  }
]

if (process.env.WAITS) {
  kinds.push(function blocked(done) {
    const began = enter()
    spin(5)
    waitHere(150)
    spin(5)
    done('waitHere', '/blocked', began)
  })
}

function next(i) {
  const began = enter()
  write()
  const kind = kinds[i % kinds.length]
  const [, route] = /'(\/\w+)'/.exec(kind.toString())
  requests.run({ route }, () => setTimeout(() => kind((what, route, began) => {
    const worked = unix(seen) - began
    setTimeout(next, 50, i + 1)
    leave(what, route, began, worked)
  }), 10)) // not in this turn, however long it takes
  leave('other', '', began)
}

let warm = 0
const warming = setInterval(() => { // until it is seen that there is a loop
  const began = enter()
  spin(15)
  if (++warm === 40) {
    clearInterval(warming)
    setTimeout(next, 100, 0)
  }
  leave('warming', '', began)
}, 25)

if (isMainThread) new Worker(__filename)
