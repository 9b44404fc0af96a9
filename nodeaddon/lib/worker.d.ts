interface Options<J> {
  /** The name of the queue, the first part of the route. Without it job.queueName, as BullMQ has it. */
  queue?: string;
  /** The name of a kind of jobs, the second part of the route. Without it job.name. */
  name?: (job: J) => string | undefined;
  /** The label job.id. Without it job.id. */
  id?: (job: J) => string | number | undefined;
}
/**
 * Wraps the function that a worker calls for each job of a queue: all that it starts has a context with the route
 * queue/name and the label job.id.
 */
declare function hotspan<J, A extends unknown[], R>(processor: (job: J, ...rest: A) => R, options?: Options<J>):
  (job: J, ...rest: A) => R;
export = hotspan;
