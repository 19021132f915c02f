// The messages between the page and the process behind it, as JSON in both directions.

import type { Rule } from './rule.ts';

/** A kind that the server serves and that can be listed. */
export interface CatalogKind {
  /** Names it in addresses: `pods.v1.` or `deployments.v1.apps`. */
  readonly id: string;
  readonly plural: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

/** The data that the page needs before it shows anything. */
export interface Catalog {
  readonly server: string;
  /** The namespace of the connection file. */
  readonly namespace: string;
  /** Undefined if the user may not list namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly kinds: readonly CatalogKind[];
  /** Groups that do not answer, with the reason. */
  readonly missing: readonly string[];
  /** Whether the process allows changes. */
  readonly mayWrite: boolean;
}

/** The kinds that the user may list in a namespace: their ids, or 'all'. */
export interface Access {
  readonly listable: readonly string[] | 'all';
}

/** The table that a tab shows. */
export interface LookRequest {
  readonly tab: string;
  readonly kind: string;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly filter: string;
  readonly sort: number | 'name' | 'namespace' | 'age';
  readonly descending: boolean;
  readonly from: number;
  readonly count: number;
  /** Grows with each request of a tab; answers carry it. */
  readonly turn: number;
}

export interface ShownColumn {
  readonly name: string;
  /** Above 0: the column is shown only if there is room. */
  readonly priority: number;
  readonly description: string;
}

/** An owner, as the object's references name it. */
export interface ShownOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface ShownRow {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** The time in milliseconds since 1970; 0 if there is no such time. */
  readonly created: number;
  readonly isGoing: boolean;
  /** The owner that controls the object, else its first owner; undefined if it has none. */
  readonly owner: ShownOwner | undefined;
  readonly cells: readonly (string | number | null)[];
}

/** The state of a tab's table. Rows that the tab already has are not sent again. */
export interface TableMessage {
  readonly turn: number;
  readonly columns: readonly ShownColumn[];
  readonly total: number;
  readonly matching: number;
  readonly from: number;
  /** The page forgets the rows that it has: all of the window are sent. */
  readonly forgets: boolean;
  /** The rows of the window in their order, by uid. */
  readonly order: readonly string[];
  readonly rows: readonly ShownRow[];
  readonly isLoaded: boolean;
  /** There are more rows than the process keeps. */
  readonly isCut: boolean;
  /** Why the table is not up to date. */
  readonly problem: Problem | undefined;
}

/** Why an action failed, in the server's words, and the next step. */
export interface Problem {
  /** 0 if there was no answer. */
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly field: string; readonly message: string }[];
  readonly advice: string;
  /** The rule that refused the request, if it was a rule. */
  readonly rule?: Rule;
}
