'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { randomBytes } = require('node:crypto');

// app is the application's own store: {endpoint, user: {tenant, id}}. It has a name from Node 24 on.
const app = new AsyncLocalStorage({ name: 'app' });

const endpoints = ['search', 'checkout', 'orders', 'login', 'report', 'health'];
const tenants = ['acme', 'globex', 'initech', 'müller', '東京'];

// newRequest makes up the next request. A quarter of them come with a traceparent header, and three quarters
// have a route.
function newRequest(number, stores, below) {
  const endpoint = endpoints[below(endpoints.length)];
  const request = {
    number,
    endpoint,
    tenant: below(tenants.length),
    tenantName: '',
    user: `user-number-${below(1000)}`,
    method: below(4) === 0 ? 'POST' : 'GET',
    target: `/${endpoint}/${number}`,
    route: below(4) === 0 ? '' : `/${endpoint}/:id`,
    remote: below(4) === 0,
    shape: stores === 'plain' ? 'fast' : ['fast', 'wide', 'dictionary'][below(3)],
  };
  request.tenantName = tenants[request.tenant];
  return request;
}

// traceparent is a header as another service would send it.
function traceparent() {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

// storeOf lays out the app store: wide ones have other properties first, dictionaries have lost one.
function storeOf(request) {
  const user = { tenant: request.tenantName, id: request.user };
  if (request.shape === 'fast') return { endpoint: request.endpoint, user };
  const store = { a: 1, b: 2, c: 3, d: 4, e: 5, endpoint: request.endpoint, user };
  if (request.shape === 'dictionary') delete store.a;
  return store;
}

module.exports = { app, endpoints, tenants, newRequest, traceparent, storeOf };
