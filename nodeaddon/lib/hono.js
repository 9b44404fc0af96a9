'use strict';

const { runWithContext } = require('./index');

// The middleware has its documentation in hono.d.ts.
function hotspan() {
  return function hotspan(context, next) {
    // What matches is known before the first handler is called. Middleware is for all paths behind a *.
    const { path } = context.req.matchedRoutes.findLast?.((route) => !route.path.endsWith('*')) ?? {};
    return runWithContext({ route: path }, next);
  };
}

module.exports = hotspan;
