'use strict'
// Holds an object of each class in one place that its name tells, and stands still in stand, or dies.
// node --expose-gc path.js [abort]
const { writeSync } = require('fs')
const net = require('net')
const vm = require('vm')

class InGlobal {}
class InModule {}
class InMap {}
class InScript {}
class InTimer {}
class InServer {}
class InWeakMap {}
class OnStack {}
class Users { constructor () { this.audit = [{}, { session: new InGlobal() }] } }

globalThis.shop = { users: new Users() }

const kept = [new InModule()]
exports.get = () => kept
exports.map = new Map([['key', new InMap()]])
exports.key = {}
exports.weak = new WeakMap([[exports.key, new InWeakMap()]])

vm.runInThisContext('let script = {}; (held) => { script.held = held }')(new InScript())

// scope keeps an object in a variable of a function, which it returns.
const scope = (kept) => () => kept
setInterval(scope(new InTimer()), 1e6)
net.createServer(scope(new InServer())).listen(0, '127.0.0.1')

function stand (held) {
  if (process.argv[2] === 'abort') process.abort()
  writeSync(2, 'ready\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return held
}

setTimeout(() => {
  global.gc()
  global.gc()
  stand(new OnStack())
}, 10)
