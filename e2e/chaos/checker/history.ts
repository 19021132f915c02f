/**
 * The results of a run. They are the changes in etcd, and the answers to every client. Times are milliseconds on one
 * clock. Revisions are etcd's. Keys are `<resource>/<namespace>/<name>`.
 */
export interface History {
  /** Every change of the run's keys, by revision. Changes share a revision only when a lease expired. */
  readonly truth: readonly Change[];
  readonly operations: readonly Operation[];
}

/** One change in etcd. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  /** The revision that the key had before. 0 means that it did not exist. */
  readonly previous: number;
  /** The stored value. Undefined means a deletion. */
  readonly value: Value | undefined;
  /** Whether the key had a lease, so that it may disappear without a deletion by a client. */
  readonly leased?: boolean;
  /** Whether it is the same value, written again with another encryption key. No client sent this write. */
  readonly again?: boolean;
}

/** The fields that distinguish stored states. */
export interface Value {
  /** The id that the write chose. No other write uses it. */
  readonly id: string;
  readonly uid: string;
  /** The value of a label, for selectors. */
  readonly color: string;
}

export type Operation = WriteOperation | ReadOperation | ListOperation | PagesOperation | WatchOperation;

interface Asked {
  /** The client and the replica for the report, such as `client 3 → replica 1`. */
  readonly by: string;
  readonly called: number;
  /** The time of the answer, or the time when the client gave up. */
  readonly returned: number;
}

export interface WriteOperation extends Asked {
  readonly kind: 'write';
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly key: string;
  /** The id that it stores. The id of a deletion is not stored. */
  readonly id: string;
  /** The revision that it must replace, if the request named one. */
  readonly expected?: number;
  readonly outcome: WriteOutcome;
}

export type WriteOutcome =
  /** The server acknowledged it. A put has its revision, and a deletion has the uid of the deleted object. */
  | { readonly kind: 'done'; readonly revision: number }
  | { readonly kind: 'removed'; readonly uid: string }
  /** The server refused it because of the state. The key exists, does not exist, or is not at the expected revision. */
  | { readonly kind: 'exists' | 'absent' | 'changed' }
  /** The server refused it for another reason, and wrote nothing. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The server may have executed it once. */
  | { readonly kind: 'unknown' };

/** The freshness that a read requires. It is `recent`, any version, not older than a version, or exactly a version. */
export type Freshness =
  | { readonly kind: 'recent' | 'any' }
  | { readonly kind: 'notOlder' | 'exact'; readonly revision: number };

/** A GET with the answer 200 or 404. */
export interface ReadOperation extends Asked {
  readonly kind: 'read';
  readonly key: string;
  readonly freshness: Freshness;
  readonly found: Seen | undefined;
}

/** An object as a client saw it. */
export interface Seen {
  readonly key: string;
  readonly revision: number;
  readonly id: string;
}

/** The part of a collection that a list or a watch covers. */
export interface Scope {
  /** The prefix of keys, with its slash: `configmaps/` or `configmaps/some-namespace/`. */
  readonly prefix: string;
  /** The label that objects must have. */
  readonly color?: string;
}

export interface Snapshot {
  readonly revision: number;
  readonly items: readonly Seen[];
}

/** A list in one answer. */
export interface ListOperation extends Asked, Snapshot {
  readonly kind: 'list';
  readonly scope: Scope;
  readonly freshness: Freshness;
}

/** A list in pages. Each token leads to the next page, from any replica. */
export interface PagesOperation extends Asked {
  readonly kind: 'pages';
  readonly scope: Scope;
  readonly limit: number;
  readonly pages: readonly Page[];
}

export interface Page extends Asked, Snapshot {
  /** Whether the answer contained a token for another page. */
  readonly more: boolean;
  /** The number of remaining objects in the answer. */
  readonly remaining?: number;
  /**
   * Whether the earlier snapshot was no longer available. This page then continues from the same key at the newest
   * version.
   */
  readonly again?: boolean;
}

/** One watch, from its request to its end. A resumed watch is a separate operation. */
export interface WatchOperation extends Asked {
  readonly kind: 'watch';
  readonly scope: Scope;
  /** The version that it starts after. */
  readonly start: number;
  readonly events: readonly WatchEvent[];
  /**
   * `ended` means that the server or a broken connection ended it, at any time. `gone` means that it got the error
   * about a version that is no longer available. `settled` means that the client ended it, after it could see all
   * changes up to `reached`.
   */
  readonly end: { readonly kind: 'ended' | 'gone' } | { readonly kind: 'settled'; readonly reached: number };
}

export type WatchEvent =
  | ({ readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly at: number } & Seen)
  | { readonly type: 'BOOKMARK'; readonly at: number; readonly revision: number };

/** A violation of a law. */
export interface Violation {
  readonly law: Law;
  /** The seen and the expected values, with revisions. */
  readonly message: string;
  readonly operation?: Operation;
  /** The key's history in etcd, near the seen revision. */
  readonly evidence?: readonly Change[];
}

/** The laws, in the words that the report of a violation uses. */
export const laws = {
  truth: 'the record of etcd is whole',
  lost: 'no acknowledged write is lost',
  twice: 'no write is done twice',
  refused: 'a refused write is not done',
  invented: 'every change was asked for, and every answer shows what was stored',
  compared: 'a write replaces what it said it replaces',
  recent: 'what is read as most recent is never older than what was known before',
  future: 'nothing is seen before it was asked for',
  version: 'a read is as new as it asked for',
  snapshot: 'a list is the state at its version',
  pages: 'continue tokens cover their snapshot exactly once',
  watch: 'a watch sees every change once and in order',
  schema: 'no custom object is stored that the newest schema was not asked about',
  outlived: 'no custom object is there without its definition',
  opened: 'what is encrypted is opened, also while its key is changed',
  sound: 'nothing that is stored is damaged',
} as const;

export type Law = keyof typeof laws;
