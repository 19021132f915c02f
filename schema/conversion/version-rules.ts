import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { ResourceShape } from '../descriptors/types.ts';
import type { ApiObject } from '../objects/api-object.ts';

/** The context, besides the object, that defaults and conversions need. */
export interface VersionContext {
  readonly naming: Naming;
  /** The release, for defaults that a release has changed without a feature gate. */
  readonly release: Pick<Release, 'atLeast'>;
  /** The feature gates of the server. */
  readonly gates: {
    /**
     * Whether a gate is on.
     *
     * @throws Error for an unknown name, which is a programming error
     */
    enabled(name: string): boolean;
  };
}

/**
 * The differences between one version of a kind and the stored version. All functions may change their argument and
 * return it.
 */
export interface VersionRules {
  /** Fills in unset fields, in the form of this version, before the conversion. A second call must change nothing. */
  defaults?(object: ApiObject, context: VersionContext): void;
  toStorage?(object: ApiObject, context: Pick<VersionContext, 'naming'>): ApiObject;
  fromStorage?(object: ApiObject, context: Pick<VersionContext, 'naming'>): ApiObject;
}

/**
 * The rules for the versions of a stored kind, by {@link versionKey}. A version that needs no rules is absent.
 */
export type KindVersions = Readonly<Record<string, VersionRules>>;

/**
 * The key of a version's rules. It is the version. If its group differs from the stored group, the key starts with the
 * group.
 */
export function versionKey(type: ResourceShape, stored: { readonly group: string }): string {
  return type.group === stored.group ? type.version : `${type.group}/${type.version}`;
}
