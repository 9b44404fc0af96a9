/** Middleware, before all others: each request has a context, and its route as soon as @koa/router has found it. */
declare function hotspan(): (context: any, next: () => Promise<any>) => Promise<any>;
export = hotspan;
