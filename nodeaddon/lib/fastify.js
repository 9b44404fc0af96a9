'use strict';

const { runWithContext } = require('./index');

// The plugin has its documentation in fastify.d.ts.
function hotspan(fastify, options, done) {
  fastify.addHook('onRequest', (request, reply, next) => {
    runWithContext({ route: request.routeOptions?.url }, next);
  });
  done();
}

// For the instance that it is registered with, not only for one within it. (fastify-plugin)
hotspan[Symbol.for('skip-override')] = true;

module.exports = hotspan;
