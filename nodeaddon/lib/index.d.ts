/** What a context says to readers outside the process. */
export interface Fields {
  /** 32 hexadecimal digits. */
  traceId?: string;
  /** 16 hexadecimal digits; counts only with a traceId. */
  spanId?: string;
  /** The flags of W3C Trace Context. */
  traceFlags?: number;
  /** The label http.route. */
  route?: string;
  /** Other labels. Values of more than 255 bytes of UTF-8 are cut at a character. */
  labels?: Labels;
}

export type Labels = Record<string, string | number | boolean | undefined>;

/**
 * The value of a context: Fields, or any other object, which then says nothing. What it says is read when it is
 * attached, and again by setRoute and setLabel.
 */
export type Value = Fields | object;

/**
 * Calls fn with a value as the context of all that it starts, and returns what it returns. With undefined there is no
 * context.
 */
export function runWithContext<R, A extends unknown[]>(value: Value | undefined, fn: (...args: A) => R, ...args: A): R;

/** Makes a value the context of the rest of the running function and of all that it starts from now on. */
export function enterWithContext(value: Value | undefined): void;

/** The value of the current context: the very object that was attached. */
export function getContext(): any;

/** Calls fn in a new context that has the current fields, and these labels too. */
export function withLabels<R, A extends unknown[]>(labels: Labels, fn: (...args: A) => R, ...args: A): R;

/**
 * Changes a label of the current context, for all that shares it: all that was started in it, and goes on in it later.
 * Contexts that withLabels has made of it are others.
 *
 * @returns whether there is a current context
 */
export function setLabel(name: string, value: string | number | boolean): boolean;

/** Changes the route of the current context, as setLabel does. */
export function setRoute(route: string): boolean;

/**
 * Keeps the current context in step with the active span of OpenTelemetry's SDK: its ids, and the route as soon as an
 * instrumentation knows it. Labels stay. The SDK may be registered before or later.
 */
export function bindOpenTelemetry(): void;

/** How much did not fit, of all contexts of this thread. */
export const counters: Readonly<{
  /** Values that were cut. */
  cut: number;
  /** Labels that had no room, and ids that are none. */
  dropped: number;
}>;

/**
 * How contexts are published: as records, which any reader of OpenTelemetry's thread contexts finds; or as text, which
 * only hotspan reads.
 */
export const form: 'record' | 'text';
