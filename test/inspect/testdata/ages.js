'use strict'
// Has requests wait since known times; writes the times down, and dies or goes on waiting.
// node ages.js DIRECTORY abort|wait
const { AsyncLocalStorage } = require('async_hooks')
const fs = require('fs')
const path = require('path')
const { performance } = require('perf_hooks')
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads')
const { register } = require('../../programs/requests/tracing')

const [directory, how] = isMainThread ? process.argv.slice(2) : workerData
const als = new AsyncLocalStorage()
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000 // milliseconds

// pass takes time, in which the event loop stands still.
function pass (ms) {
  for (const end = now() + ms; now() < end;);
}

// truth is, by tenant, between which times of the monotonic clock its timer began, and when its span did, since 1970;
// in milliseconds.
const truth = {}

// began notes when f starts a timer.
function began (tenant, f) {
  const before = now()
  const timer = f()
  truth[tenant] = { ...truth[tenant], before, after: now() }
  return timer
}

// wait has a request wait for a timer.
function wait (tenant, begin = () => setTimeout(() => {}, 500000)) {
  pass(40)
  return als.run({ tenant }, () => began(tenant, begin))
}

class Identifier {
  #buffer = [1, 2, 3, 4, 5, 6, 7, 8]
  toString () { return this.#buffer.join() }
}

// datadog is a store as dd-trace has it.
function datadog (startTime) {
  const context = { _traceId: new Identifier(), _spanId: new Identifier(), _tags: {}, _trace: { startTime, started: [], tags: {} } }
  return { span: { _spanContext: context } }
}

function begin () {
  wait('first')
  wait('unref', () => setTimeout(() => {}, 600000).unref())
  wait('fraction', () => setTimeout(() => {}, 500000.75))
  const refreshed = wait('refreshed')
  const tracing = register()
  for (const tenant of ['span', 'another span']) {
    const request = { number: tenant.length, method: 'GET', target: '/', tenantName: tenant }
    tracing.serve(request, () => pass(70) || wait(tenant))
    truth[tenant].span = Number(request.start) / 1e6
  }
  const start = Date.now() - 3600000.25
  new AsyncLocalStorage().run(datadog(start), () => wait('datadog'))
  truth.datadog.span = start
  pass(200)
  began('refreshed', () => refreshed.refresh())
  setTimeout(() => als.exit(end), 300)
}

// end writes the truth, with the last time at which the event loop certainly has read its clock.
function end () {
  const worker = new Worker(__filename, { workerData: [directory, 'worker'] })
  worker.on('message', (worker) => {
    truth.worker = worker
    pass(30)
    const loop = now()
    clearTimeout(setTimeout(() => {}, 1))
    const wall = performance.timeOrigin + performance.now() - now()
    fs.writeFileSync(path.join(directory, 'truth.json'), JSON.stringify({ of: truth, loop, ended: now(), wall }))
    if (how === 'abort') process.abort()
    fs.writeSync(2, 'ready\n')
  })
}

if (isMainThread) begin()
else {
  wait('worker')
  setTimeout(() => parentPort.postMessage(truth.worker), 150)
}
