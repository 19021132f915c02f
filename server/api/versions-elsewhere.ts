import type { JsonObject } from '#base/json/json-value.ts';

/** The known facts about a group version that another server serves. */
export interface VersionElsewhere {
  /** Entries in the form of that server or of its list of resources: `{resource, responseKind, scope, …}`. */
  readonly resources: readonly JsonObject[];
  /** Whether the server does not answer at present. Clients then see that this list may be outdated. */
  readonly stale: boolean;
}

/**
 * The versions by `group/version`. The map is replaced as a whole when something in it changes, and so is each changed
 * entry.
 */
export type VersionsElsewhere = ReadonlyMap<string, VersionElsewhere>;
