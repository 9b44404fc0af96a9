/** Middleware, app.use(hotspan()) before all others: each request has a context with its route. */
declare function hotspan(): (context: any, next: () => Promise<void>) => Promise<any>;
export = hotspan;
