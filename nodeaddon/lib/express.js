'use strict';

const { runWithContext, setRoute } = require('./index');

// The middleware has its documentation in express.d.ts.
function hotspan() {
  return function hotspan(request, response, next) {
    let route;
    const set = (next) => {
      route = next;
      if (typeof next?.path === 'string') setRoute(request.baseUrl + next.path);
    };
    Object.defineProperty(request, 'route', { get: () => route, set, enumerable: true, configurable: true });
    runWithContext({}, next);
  };
}

module.exports = hotspan;
