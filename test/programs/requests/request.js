'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { randomBytes } = require('node:crypto');

// app is the application's own store: {endpoint, premium, user: {tenant, id}}. It has a name from Node 24 on.
const app = new AsyncLocalStorage({ name: 'app' });

const endpoints = ['search', 'checkout', 'orders', 'login', 'report', 'health'];
const tenants = ['acme', 'globex', 'initech', 'müller', '東京'];

// shapes are the layouts of app stores, by what STORES says.
const shapes = { plain: ['fast'], mixed: ['fast', 'wide', 'dictionary'], dictionary: ['dictionary'], map: ['map'] };

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
    premium: below(2) === 0,
    shape: shapes[stores][below(shapes[stores].length)],
  };
  request.tenantName = tenants[request.tenant];
  return request;
}

// traceparent is a header as another service would send it.
function traceparent() {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

// storeOf lays out the app store: wide ones have other properties first, dictionaries have lost one, and so have the
// users in them, Maps have strings and symbols as keys.
function storeOf(request) {
  const { endpoint, premium } = request;
  if (request.shape === 'map') {
    const user = new Map([[userID, request.user], ['other', 1], ['tenant', request.tenantName]]);
    return new Map([['endpoint', endpoint], [Symbol.for('app user'), user], ['premium', premium]]);
  }
  const user = { first: 1, tenant: request.tenantName, id: request.user };
  if (request.shape === 'fast') return { endpoint, user, premium };
  const store = { a: 1, b: 2, c: 3, d: 4, e: 5, endpoint, user, premium };
  if (request.shape === 'dictionary') {
    delete store.a;
    delete user.first;
  }
  return store;
}

const userID = Symbol('id of the user');

// readStore is who a store is about.
function readStore(store) {
  if (store instanceof Map) {
    return { endpoint: store.get('endpoint'), user: store.get(Symbol.for('app user')).get(userID) };
  }
  return { endpoint: store?.endpoint, user: store?.user.id };
}

module.exports = { app, endpoints, tenants, shapes, newRequest, traceparent, storeOf, readStore };
