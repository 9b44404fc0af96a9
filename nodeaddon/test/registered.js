'use strict';

// A fastify service that knows nothing of hotspan, and one request to it: it prints the labels of its context.

const http = require('node:http');
const fastify = require('fastify')();
const { inside } = require('./inside');

fastify.get('/items/:id', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return inside();
});
fastify.listen({ port: 0, host: '127.0.0.1' }).then(() => {
  http.get({ port: fastify.server.address().port, host: '127.0.0.1', path: '/items/7', agent: false }, (answer) => {
    answer.on('data', (chunk) => console.log(String(chunk))).on('end', () => fastify.close());
  });
});
