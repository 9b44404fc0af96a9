'use strict';

// A fastify service that knows nothing of hotspan.

const fastify = require('fastify')();
const { setTimeout: sleep } = require('node:timers/promises');

function primes(below) {
  const composite = new Uint8Array(below);
  for (let i = 2; i * i < below; i++) {
    for (let j = i * i; j < below && !composite[i]; j += i) composite[j] = 1;
  }
  return composite.reduce((n, c, i) => n + (i > 1 && !c), 0);
}

fastify.get('/primes/:below', async (request) => {
  await sleep(1);
  return { primes: primes(Number(request.params.below)) };
});

fastify.get('/words/:count', async (request) => {
  const words = Array.from({ length: request.params.count }, (_, i) => `word ${(i * 7919) % 1000}`);
  await sleep(1);
  return words.sort().filter((word, i) => word !== words[i - 1]);
});

fastify.listen({ port: 0, host: '127.0.0.1' }).then((address) => console.log(address));
