'use strict';

const http = require('node:http');

// front has requests served over HTTP, as a service does: their first code runs in a callback of the server's parser,
// which serves one request after the other. ask waits for the answer.
async function front(serve) {
  const open = new Map();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const server = http.createServer((incoming, answer) => {
    serve(open.get(incoming.url)).then(() => answer.end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  function ask(request) {
    const path = `/${request.number}`;
    open.set(path, request);
    return new Promise((resolve) => {
      http.get({ host: '127.0.0.1', port, path, agent }, (answer) => answer.resume().on('end', resolve));
    }).finally(() => open.delete(path));
  }
  function close() {
    agent.destroy();
    server.close();
  }
  return { ask, close };
}

module.exports = { front };
