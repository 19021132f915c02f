/** Who makes a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a request's path and method say. Groups are as in the path (not the neutral form). */
export interface RequestInfo {
  /** Whether the path names an API resource. */
  readonly isResource: boolean;
  /** The path without the query. */
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection; the lower-cased method for other paths. */
  readonly verb: string;
  readonly method: string;
  /** `api` or `apis`; empty for other paths. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on. */
  readonly parts: readonly string[];
}
