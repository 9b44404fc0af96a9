import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware, before all others: each request has a context, and its route as soon as Express has found it. */
declare function hotspan(): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
export = hotspan;
