import type { NamingProfile } from '#base/naming/naming.ts';

/** Selects the requests that match all given fields. Requests of the cluster's own controllers never match. */
export interface RequestMatch {
  /** One or several of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` and `deletecollection`. */
  readonly verb?: string | readonly string[];
  /** The group in the form of paths; `''` for the core group. */
  readonly group?: string;
  /** The plural, `configmaps`. */
  readonly resource?: string;
  /** `status`, `scale` and so on. Without it, only requests for the objects themselves match. */
  readonly subresource?: string;
  readonly namespace?: string;
  /** The name in the path. A request that creates an object has no name there. */
  readonly name?: string;
  /** The user of the request. */
  readonly user?: string;
}

/** The code of an answer that replaces the real answer. */
export type FaultCode = 409 | 410 | 429 | 500 | 503;

/** The effect of a fault on requests. */
export type Effect =
  | { readonly kind: 'answer'; readonly code: FaultCode; readonly retryAfterSeconds: number }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'lose answer' }
  | { readonly kind: 'hold watches' };

/** The options of a cluster. */
export interface ClusterOptions {
  /** The names that the API server uses; `orch` by default. */
  readonly naming?: NamingProfile;
  /** The release whose interface the server has, such as `1.30`. */
  readonly emulatedVersion?: string;
  /** A folder of manifests. They are applied at the start and are part of the state that `reset` restores. */
  readonly definitions?: string;
  /** With false, no controllers run beside the API server. */
  readonly controllers?: boolean;
  /** The number of simulated nodes, none by default. With at least one node, pods are scheduled. */
  readonly nodes?: number;
  /** More flags of the API server. */
  readonly serverFlags?: readonly string[];
}

/** The connection data of a started cluster. */
export interface Started {
  readonly url: string;
  readonly connectionFile: string;
  /** PEM texts: the authority of the cluster, and the certificate and key of an administrator. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The calls of the cluster's process: the arguments and the result of each, as JSON. */
export interface Calls {
  start(options: ClusterOptions): Started;
  /** Returns the number of restored objects. */
  reset(): number;
  /** Returns the new time in milliseconds since the epoch. */
  advance(milliseconds: number): number;
  /** Returns the id of the fault. */
  addFault(match: RequestMatch, effect: Effect, times: number): number;
  /** Returns the number of requests that have met it. */
  met(fault: number): number;
  endFault(fault: number): number;
  clearFaults(): void;
  /** Returns the number of ended watches. */
  cutWatches(match: RequestMatch): number;
  compact(): void;
  restart(): void;
}

export type CallName = keyof Calls;

/** One call between the processes, and its outcome. */
export interface CallMessage {
  readonly id: number;
  readonly call: CallName;
  readonly args: readonly unknown[];
}

export interface OutcomeMessage {
  readonly id: number;
  readonly result?: unknown;
  /** The reason of a failure. */
  readonly error?: string;
}
