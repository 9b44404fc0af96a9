'use strict';

const { runWithContext } = require('./index');

// The wrapper has its documentation in worker.d.ts.
function hotspan(processor, { queue, name = (job) => job?.name, id = (job) => job?.id } = {}) {
  function process(job, ...rest) {
    const parts = [queue ?? job?.queueName, name(job)].filter((part) => part !== undefined && part !== '');
    const value = { route: parts.length > 0 ? parts.join('/') : undefined, labels: { 'job.id': id(job) } };
    return runWithContext(value, processor.bind(this), job, ...rest);
  }
  // Some queues count the parameters, to know whether it takes a callback.
  return Object.defineProperty(process, 'length', { value: processor.length });
}

module.exports = hotspan;
