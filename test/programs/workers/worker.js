'use strict';

const { parentPort, workerData } = require('node:worker_threads');
const { runThread } = require('./thread');

// The worker says that it runs, is told for how long to burn, sends its log, and stays until it is stopped: its
// thread is to be seen until the end.
parentPort.on('message', async (milliseconds) => {
  parentPort.postMessage(await runThread(workerData.name, workerData.number, milliseconds));
});
parentPort.postMessage('running');
