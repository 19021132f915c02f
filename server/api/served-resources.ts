import type { ServedResource, StoredResource } from './served-resource.ts';

/** A group of the API with its served versions, the preferred one first. */
export interface ServedGroup {
  /** The name as in the path. */
  readonly name: string;
  readonly versions: readonly string[];
}

/**
 * Everything that is served at one moment. It never changes, so a request that holds one sees the same state to its
 * end.
 */
export interface ServedResources {
  readonly groups: readonly ServedGroup[];
  readonly allStored: readonly StoredResource[];
  /** The resource of a path's group, version and resource; undefined when nothing is served there. */
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** A stored resource by its identity, with its group in short form; undefined if there is none. */
  stored(group: string, plural: string): StoredResource | undefined;
  group(name: string): ServedGroup | undefined;
  hasVersion(group: string, version: string): boolean;
  /** The resources of a group version; the same list as long as they stay the same. Empty for unknown ones. */
  inVersion(group: string, version: string): readonly ServedResource[];
  /** The stored resources with objects of a kind. */
  ofKind(apiVersion: string, kind: string): readonly ServedResource[];
}
