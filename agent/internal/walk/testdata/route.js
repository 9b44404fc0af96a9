'use strict';
// Stands still in a request that has a route, a method and a path, in a store as the tracer of the first argument has it.
// Says so on standard error, by a line, then waits in read(2) for the end of standard input.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const stores = {
  opentelemetry() { // the router adds the route to an object that has no room for it
    const span = { attributes: { 'http.request.method': 'GET', 'url.path': '/orders/7' } };
    const metadata = { type: 'http', span };
    metadata.route = '/orders/:id';
    return { _currentContext: new Map([[Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA'), metadata]]) };
  },
  datadog() {
    const tags = { 'http.method': 'GET', 'http.url': 'http://127.0.0.1/orders/7' };
    tags['http.route'] = '/orders/:id';
    return { span: { _spanContext: { _trace: { started: [{ _spanContext: { _tags: tags } }] } } } };
  },
};

new AsyncLocalStorage().run(stores[process.argv[2]](), () => {
  fs.writeSync(2, '{}\n');
  fs.readSync(0, Buffer.alloc(1));
});
