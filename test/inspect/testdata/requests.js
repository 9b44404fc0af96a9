'use strict'
// Has requests of tenants wait for all kinds of things, after others that have ended; writes down who waits for what,
// and dies or goes on waiting.
// node requests.js DIRECTORY abort|wait
const { AsyncLocalStorage } = require('async_hooks')
const { execFileSync } = require('child_process')
const crypto = require('crypto')
const dns = require('dns')
const fs = require('fs')
const http = require('http')
const net = require('net')
const path = require('path')
const zlib = require('zlib')

const [directory, how] = process.argv.slice(2)
const als = new AsyncLocalStorage()
const other = new AsyncLocalStorage()
const fifo = path.join(directory, 'fifo')
execFileSync('mkfifo', [fifo])

class Request { constructor (tenant) { this.tenant = tenant; this.notes = { of: tenant } } }

// line is the line of this file that ends in a mark.
const lines = fs.readFileSync(__filename, 'utf8').split('\n')
const line = (mark) => lines.findIndex((text) => text.endsWith('// ' + mark)) + 1

const truth = {} // by tenant, each wait as: sort, kind, what, function, line

// request begins a request that waits.
function request (tenant, waits, f) {
  truth[tenant] = waits
  return als.run(new Request(tenant), f)
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// ended are requests that have waited, and wait no more: what they had is garbage that is not collected.
async function ended (server) {
  const all = []
  const run = (name, f) => als.run(new Request('ended ' + name), () => {
    all.push(new Promise((resolve) => f(resolve)))
  })
  run('timer', (done) => setTimeout(done, 1))
  run('cleared', (done) => { clearTimeout(setTimeout(() => {}, 100000)); done() })
  run('interval', (done) => { const i = setInterval(() => { clearInterval(i); done() }, 1) })
  run('immediate', (done) => setImmediate(done))
  run('cleared immediate', (done) => { clearImmediate(setImmediate(() => {})); done() })
  run('file', (done) => fs.stat(__filename, done))
  run('name', (done) => dns.lookup('127.0.0.1', done))
  run('async', async (done) => { await sleep(1); await fs.promises.stat(__filename); done() })
  run('then', (done) => Promise.resolve(1).then(done))
  run('hash', (done) => crypto.pbkdf2('a', 'b', 1, 8, 'sha1', done))
  run('zip', (done) => zlib.deflate('abc', done))
  run('socket', (done) => {
    const socket = net.connect(server.address().port, '127.0.0.1')
    socket.on('data', () => {})
    socket.on('close', done)
    socket.on('connect', () => socket.destroy())
  })
  await Promise.all(all)
  await sleep(10)
}

let settle // the promise that one request waits for, and another settles

const settled = new Promise((resolve) => { settle = resolve })

async function awaits () {
  return await settled // awaits
}

async function outer () {
  const got = await awaits() // outer
  return got
}

async function both () {
  setTimeout(function beside () {}, 400000) // beside
  return await settled // both
}

function begin (server) {
  request('timer', [['timer', 'Timeout', '500000', 'late', line('late')]], () => {
    setTimeout(function late () {}, 500000) // late
  })
  request('interval', [['timer', 'Timeout', '300000', 'often', line('often')]], () => {
    setInterval(function often () {}, 300000) // often
  })
  request('settles', [['timer', 'Timeout', '600000', 'settles', line('settles')]], () => {
    setTimeout(function settles () { settle(1) }, 600000) // settles
  })
  request('awaits', [['promise', 'Promise', 'await', 'awaits', line('awaits')],
    ['promise', 'Promise', 'await', 'outer', line('outer')]], outer)
  request('both', [['promise', 'Promise', 'await', 'both', line('both')],
    ['timer', 'Timeout', '400000', 'beside', line('beside')]], both)
  request('then', [['promise', 'Promise', '', 'after', line('after')]], () => {
    settled.then(function after () {}) // after
  })
  request('two', [['timer', 'Timeout', '700000', 'two', line('two')]], () => other.run({ name: 'second' }, () => {
    setTimeout(function two () {}, 700000) // two
  }))
  request('socket', [['handle', 'TCP', 'reading', '', 0]], () => {
    net.connect(server.address().port, '127.0.0.1').on('data', () => {})
  })
  request('file', [['request', 'FSReqCallback', 'open ' + fifo, '', 0]], () => fs.open(fifo, () => {}))
  request('file promise', [['request', 'FSReqPromise', 'open ' + fifo, '', 0],
    ['promise', 'Promise', 'await', 'opens', line('opens')]], async function opens () {
    await fs.promises.open(fifo) // opens
  })
  // With these two all threads of the pool wait.
  fs.open(fifo, () => {})
  fs.open(fifo, () => {})
  request('name', [['request', 'GetAddrInfoReqWrap', 'example.org', '', 0]],
    () => dns.lookup('example.org', () => {}))
  request('hash', [['job', 'PBKDF2Job', '', '', 0]], () => crypto.pbkdf2('a', 'b', 1, 8, 'sha1', () => {}))
  request('zip', [['job', 'Zlib', '', '', 0]], () => zlib.deflate('abc', () => {}))
}

function write () {
  fs.writeFileSync(path.join(directory, 'truth.json'), JSON.stringify(truth))
}

const server = net.createServer(() => {}).listen(0, '127.0.0.1', async () => {
  await ended(server)
  begin(server)
  await sleep(200)
  if (how === 'abort') {
    request('immediate', [['timer', 'Immediate', '', 'soon', line('soon')]], () => {
      setImmediate(function soon () {}) // soon
    })
    als.run(new Request('ended date'), () => {
      new http.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 }).writeHead(200)
    })
    write()
    process.abort()
  }
  await turn()
  write()
  fs.writeSync(2, 'ready\n')
})
