import type { ResourceCache } from '../cache/resource-cache.ts';
import type { MessageType, ResourceType } from '../schema/types.ts';
import type { KindRules, VersionRules } from './resource-definition.ts';

/** A kind as it is stored: one per storage identity, whatever the number of versions that serve it. */
export interface StoredResource {
  /** Short group and plural of the storage identity. */
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** `apps/v1` in the server's naming. */
  readonly apiVersion: string;
  readonly version: string;
  readonly message: MessageType;
  readonly namespaced: boolean;
  readonly rules: KindRules;
  /** Absolute prefix of the kind's keys, with a trailing slash. */
  readonly keyPrefix: string;
  readonly cache: ResourceCache;
}

/** A resource in one group version, as a path names it. */
export interface ServedResource {
  readonly type: ResourceType;
  /** Group as in the path, in the server's naming. */
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, `v1`. */
  readonly apiVersion: string;
  /** Undefined for virtual resources (reviews). */
  readonly stored: StoredResource | undefined;
  readonly versionRules: VersionRules;
  /** Stored bytes are this version's bytes: no conversion on read. */
  readonly identical: boolean;
  /** Head of a single JSON answer: `{"kind":"Pod","apiVersion":"v1",`. */
  readonly jsonHead: Buffer;
}

/** The start of the JSON form of an object of this kind; some discovery documents have no apiVersion. */
export function jsonHead(kind: string, apiVersion: string): Buffer {
  const version = apiVersion === '' ? '' : `"apiVersion":${JSON.stringify(apiVersion)},`;
  return Buffer.from(`{"kind":${JSON.stringify(kind)},${version}`);
}
