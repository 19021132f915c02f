import type { ServedResource, StoredResource } from './served-resource.ts';

/** A group of the API with its served versions, the preferred one first. */
export interface ServedGroup {
  /** The name in the form of the path. */
  readonly name: string;
  readonly versions: readonly string[];
}

/**
 * Everything that is served at one moment. It never changes, so a request sees the same state from its beginning to its
 * end.
 */
export interface ServedResources {
  readonly groups: readonly ServedGroup[];
  readonly allStored: readonly StoredResource[];
  /** The resource for a path's group, version and resource; undefined if none is served there. */
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** A stored resource by its identity, with its group in short form; undefined if there is none. */
  stored(group: string, plural: string): StoredResource | undefined;
  group(name: string): ServedGroup | undefined;
  hasVersion(group: string, version: string): boolean;
  /**
   * The resources of a group version. It is the same list as long as they do not change. Empty for an unknown group
   * version.
   */
  inVersion(group: string, version: string): readonly ServedResource[];
  /** The stored resources whose objects have a kind. */
  ofKind(apiVersion: string, kind: string): readonly ServedResource[];
}
