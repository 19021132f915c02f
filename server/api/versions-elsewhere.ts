import type { JsonObject } from '#base/json/json-value.ts';

/** The known facts about a group version that another server serves. */
export interface VersionElsewhere {
  /** Entries as that server or its list of resources gave them: `{resource, responseKind, scope, …}`. */
  readonly resources: readonly JsonObject[];
  /** The server does not answer at present: clients see that this list may be old. */
  readonly stale: boolean;
}

/** The keys have the form `group/version`; replaced as a whole when something in it changes, and so is each entry. */
export type VersionsElsewhere = ReadonlyMap<string, VersionElsewhere>;
