'use strict'
// Has 100 requests that wait for ever, beside others that come and go, so that V8 collects garbage all the time.
// node busy.js
const { AsyncLocalStorage } = require('async_hooks')
const fs = require('fs')

const als = new AsyncLocalStorage()
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Both values of a store say the same, which those of two stores do not.
const begin = (kind, n, f) => als.run({ tenant: kind + n, n }, f, n)

async function hangs () {
  await sleep(10000000)
}

let count = 0

async function quick () {
  const junk = []
  await sleep(5)
  for (let i = 0; i < 300; i++) junk.push({ i, list: [i] })
  await sleep(20 + junk.length % 7)
}

const again = () => { begin('quick', count++, () => { quick().then(again) }) }

for (let i = 0; i < 100; i++) {
  begin('hangs', i, hangs)
  again()
}
setTimeout(() => fs.writeSync(2, 'ready\n'), 300)
