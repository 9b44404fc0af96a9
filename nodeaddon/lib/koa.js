'use strict';

const { runWithContext, setRoute } = require('./index');

// The middleware has its documentation in koa.d.ts.
function hotspan() {
  return function hotspan(context, next) {
    let route;
    const set = (next) => {
      route = next;
      if (typeof next === 'string') setRoute(next);
    };
    // @koa/router sets it before it calls the handlers of the route.
    Object.defineProperty(context, '_matchedRoute', { get: () => route, set, enumerable: true, configurable: true });
    return runWithContext({}, next);
  };
}

module.exports = hotspan;
