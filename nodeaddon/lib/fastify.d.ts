/** A plugin: fastify.register(hotspan). Each request has a context with its route. */
declare function hotspan(fastify: any, options: object, done: () => void): void;
export = hotspan;
