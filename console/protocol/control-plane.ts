// The process's messages to the page about the control plane. Times are milliseconds since 1970.

/** A check of a process: `ping`, and whether it passed. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
}

/** The state of one process of the control plane: a replica of the server, or a manager. */
export interface WatchedProcess {
  /** `127.0.0.1:6443`. */
  readonly address: string;
  /** Whether all of its checks passed at the last request; undefined if it does not answer. */
  readonly isReady: boolean | undefined;
  /** Why the process or its metrics could not be read. */
  readonly problem: string;
  /** The time of its last answer; 0 means never. */
  readonly lastAnswer: number;
  readonly checks: readonly HealthCheck[];
  /** Undefined if the user may not read its metrics, or it does not answer. */
  readonly figures: ProcessFigures | undefined;
}

/** The figures that a process reports. A figure is undefined if the process does not report it. */
export interface ProcessFigures {
  readonly version: string;
  readonly started: number | undefined;
  readonly memoryBytes: number | undefined;
  /** The processor time in seconds per second. */
  readonly processor: number | undefined;
  readonly loopLagSeconds: number | undefined;
  readonly openFiles: number | undefined;
  readonly connections: number | undefined;
}

/** The cache of a replica, compared with the revision of etcd. */
export interface CacheState {
  readonly address: string;
  readonly frontier: number;
  /** The number of revisions that the cache lacked, although etcd had them before the replica was asked. */
  readonly behind: number;
  readonly unconfirmedSeconds: number | undefined;
  readonly bytes: number | undefined;
}

/** Values over time, one for each time of the plot; null if nothing was read. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface Plotted {
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

/** Durations below which 50, 90 and 99 of 100 measurements are, in seconds; null if nothing was measured. */
export interface Percentiles {
  readonly name: string;
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  /** The highest bound of the histogram: a percentile that reaches it may be higher in reality. */
  readonly most: number;
}

export interface RequestCount {
  readonly verb: string;
  readonly code: string;
  /** The number since the replicas started. */
  readonly count: number;
  /** The rate in the window; null if there is no window yet. */
  readonly perSecond: number | null;
}

export interface FlowState {
  readonly level: string;
  readonly flow: string;
  readonly executing: number;
  readonly queued: number;
  /** Seats of the whole level, on all replicas together. */
  readonly limit: number | undefined;
}

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

export interface EtcdMember {
  readonly endpoint: string;
  readonly bytes: number;
}

/** A lease by which managers elect a leader. */
export interface Leader {
  readonly name: string;
  readonly holder: string;
  readonly since: number;
  readonly renewed: number;
  readonly transitions: number;
  /** Whether the lease has expired. */
  readonly isOver: boolean;
}

export interface WorkQueueState {
  /** The process with the queue. */
  readonly address: string;
  readonly name: string;
  readonly depth: number;
  readonly added: number;
  readonly addedPerSecond: number | null;
  readonly retries: number;
  /** Seconds of work that is in progress. */
  readonly unfinishedSeconds: number;
}

/** A certificate or a token, and its end. */
export interface Expiry {
  /** The place at which it was found. */
  readonly where: string;
  readonly subject: string;
  readonly issuer: string;
  /** 0 if it cannot be read: see `problem`. */
  readonly ends: number;
  readonly problem: string;
}

/** A version that the server will no longer serve, and that clients ask for. */
export interface DeprecatedUse {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
}

/** A client that wrote fields of objects through a version, as the objects record it. */
export interface Writer {
  readonly manager: string;
  readonly objects: number;
  readonly example: string;
  readonly last: string;
}

export interface Writers {
  readonly writers: readonly Writer[];
  /** The number of objects that were read, and whether there are more. */
  readonly looked: number;
  readonly isCut: boolean;
}

/** The state of the control plane, from metrics, health paths and a few objects. */
export interface ControlPlane {
  /** The time at which the data was read. */
  readonly at: number;
  readonly version: string;
  /** The window of rates and percentiles, in seconds; 0 if they cover all time since the processes began. */
  readonly windowSeconds: number;
  /** Why only the answering replica is known; '' if the server publishes the addresses of all replicas. */
  readonly replicasProblem: string;
  readonly replicas: readonly WatchedProcess[];
  readonly managers: readonly WatchedProcess[];
  /** The addresses at which the console looked for managers, and no manager answered. */
  readonly managersMissing: readonly string[];
  /** Whether the user may read the metrics of at least one replica. */
  readonly mayReadMetrics: boolean;
  readonly requests: readonly RequestCount[];
  readonly requestRate: Plotted;
  readonly durations: readonly Percentiles[];
  readonly durationsOverTime: Plotted;
  readonly inFlight: Plotted;
  readonly flows: readonly FlowState[];
  readonly watches: readonly NamedCount[];
  readonly caches: readonly CacheState[];
  readonly etcd: readonly EtcdMember[];
  readonly isStorageFull: boolean;
  readonly etcdDurations: readonly Percentiles[];
  /** Undefined if the user may not list leases there. */
  readonly leaders: readonly Leader[] | undefined;
  readonly queues: readonly WorkQueueState[];
  readonly certificates: readonly Expiry[];
  /** The certificates that could not be read, with the reasons. */
  readonly certificatesMissing: readonly string[];
  /** The number of requests with client certificates whose remaining validity, in seconds, was below each bound. */
  readonly clientCertificates: readonly { readonly belowSeconds: number; readonly requests: number }[];
  readonly deprecated: readonly DeprecatedUse[];
}
