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
 * The value of a context: Fields, or anything else but undefined, which then says nothing. What it says is read when it
 * is attached, and again by setRoute and setLabel.
 */
export type Value = Fields | {} | null;

/**
 * Calls fn with a value as the context of all that it starts, and returns what it returns. With undefined there is no
 * context.
 */
export function runWithContext<R, A extends unknown[]>(value: Value | undefined, fn: (...args: A) => R, ...args: A): R;

/** Makes a value the context of the rest of the running function and of all that it starts from now on. */
export function enterWithContext(value: Value | undefined): void;

/** The value of the current context: the very one that was attached. */
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
  /** Contexts whose values the samples of a profile do not have: at most 100,000 are kept at a time. */
  unheld: number;
}>;

/**
 * How contexts are published: as records, which any reader of OpenTelemetry's thread contexts finds; or as text, which
 * only hotspan reads.
 */
export const form: 'record' | 'text';

/** How startProfile samples. */
export interface ProfileOptions {
  /** Samples per second on each CPU: 1 to 1000. 99 without it. */
  frequency?: number;
  /** Labels from AsyncLocalStorage stores, besides those that the agent reads anyway: name to path. */
  labels?: Record<string, string>;
  /** The agent's socket. /run/hotspan/agent.sock without it. */
  socket?: string;
  /**
   * If no agent listens there, start one for this process, which ends with the session. This process needs the rights
   * of an agent: root, or CAP_BPF and CAP_PERFMON.
   */
  spawn?: boolean;
}

/**
 * Has the agent of this machine sample this process, and resolves when it does. The process is not stopped and runs no
 * code for a sample. Rejects if no agent listens.
 */
export function startProfile(options?: ProfileOptions): Promise<Session>;

/** A profile that is being taken. After an hour the agent ends it. */
export interface Session extends AsyncIterable<Profile> {
  /** The profile since the last one. Sampling goes on meanwhile: each sample is in one snapshot. */
  snapshot(): Promise<Profile>;
  /** The profile since the last snapshot, and the end. */
  stopAndCapture(): Promise<Profile>;
  /** The end, without a profile: for await using. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The samples between two snapshots. */
export interface Profile {
  /** As pprof: what go tool pprof reads. */
  readonly profile: Uint8Array;
  /** Unix time in nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  /** CPU time that a sample stands for, in nanoseconds. */
  readonly period: number;
  /** Samples that were taken and are missing, by reason. */
  readonly lost: Readonly<Record<string, number>>;
  /** Each sample. */
  samples(): IterableIterator<Sample>;
  /** The samples as a tree of calls, from the root. */
  tree(): TreeNode;
}

export interface Sample {
  /** Unix time in nanoseconds. */
  timestamp: bigint;
  /** The name of the thread. */
  thread: string;
  threadId: number;
  /** What V8 did: js, gc, compiler, external, idle or other. */
  state: string;
  /** The innermost call first. */
  stack: Frame[];
  labels: Record<string, string | number>;
  /**
   * The very value that was attached to the context, if that was made on this thread while a profile was being taken.
   */
  context: any;
}

export interface Frame {
  function: string;
  file?: string;
  /** From 1. */
  line?: number;
  column?: number;
  /** js, builtin, regexp, wasm, native, kernel, jit or marker. */
  kind: string;
  /** The compiler that made the code of a JavaScript function: ignition, sparkplug, maglev or turbofan. */
  tier?: string;
  /** Its code is part of its caller's. */
  inlined?: boolean;
}

export interface TreeNode {
  frame: Frame;
  /** Samples that ended here. */
  samples: number;
  /** How many of them each context had. */
  contexts: Map<any, number>;
  children: TreeNode[];
}
