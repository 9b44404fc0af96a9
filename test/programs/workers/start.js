'use strict';

const { once } = require('node:events');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

// startWorker starts a worker of that name, and resolves when it runs. Its run resolves to its log.
async function startWorker(name, number) {
  const worker = new Worker(path.join(__dirname, 'worker.js'), { name, workerData: { name, number } });
  await once(worker, 'message');
  return {
    async run(milliseconds) {
      worker.postMessage(milliseconds);
      const [log] = await once(worker, 'message');
      return log;
    },
    stop: () => worker.terminate(),
  };
}

module.exports = { startWorker };
