// What the page and the process behind it say to each other. It is JSON both ways.

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

/** What the page knows before it shows anything. */
export interface Catalog {
  readonly server: string;
  /** The namespace of the connection file. */
  readonly namespace: string;
  /** Undefined where the user may not list namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly kinds: readonly CatalogKind[];
  /** Groups that do not answer, with the reason. */
  readonly missing: readonly string[];
  /** Whether the process lets changes through. */
  readonly mayWrite: boolean;
}

/** What the user may list in a namespace: ids of kinds, or all of them. */
export interface Access {
  readonly listable: readonly string[] | 'all';
}

/** What a tab looks at. */
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
  /** Above 0: shown only where there is room. */
  readonly priority: number;
  readonly description: string;
}

/** What made an object, as the object says. */
export interface ShownOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface ShownRow {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Milliseconds since 1970, 0 where there is none. */
  readonly created: number;
  readonly isGoing: boolean;
  /** The one that looks after it, where there is one. */
  readonly owner: ShownOwner | undefined;
  readonly cells: readonly (string | number | null)[];
}

/** The state of the table that a tab looks at. Rows that the tab already has are not sent again. */
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

/** Why something does not work, in the server's words, and what to do next. */
export interface Problem {
  /** 0 where no answer came. */
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly field: string; readonly message: string }[];
  readonly advice: string;
  /** The rule that refused, where a rule did. */
  readonly rule?: Rule;
}
