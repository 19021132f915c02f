import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { loadSchema } from '../descriptors/load.ts';
import { storageId } from '../descriptors/storage-id.ts';
import type { MessageType, ResourceType, Schema } from '../descriptors/types.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { decodeObject } from '../objects/decode.ts';
import { fillDefaults } from '../objects/fill-defaults.ts';
import { normalize } from '../objects/normalize.ts';
import { groupOf, versionOf } from '../values/api-version.ts';
import { kindVersions } from './index.ts';
import { REMOVED_VERSIONS, type RemovedVersion } from './removed-versions/versions.ts';
import { type VersionContext, type VersionRules, versionKey } from './version-rules.ts';

/** A kind in one of its versions. */
export interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message of this version. For a removed version, it is the message of its successor. */
  readonly message: MessageType;
  readonly removed?: RemovedVersion;
}

/** Changes an object of a served version to the form that its fields must have. */
type Shape = (object: ApiObject, message: MessageType) => ApiObject;

/** The gates that conversions read are alpha. So a server has them off unless its flags turn them on. */
const NONE_ON: VersionContext['gates'] = { enabled: () => false };

/**
 * The versions to choose if the caller names none, by group. They replace the version that discovery prefers, because
 * every release can read them.
 */
const CHOSEN: ReadonlyMap<string, string> = new Map([['autoscaling', 'v1']]);

/**
 * Converts objects of built-in kinds between the versions of this release, without a server. The result is the same as
 * that of a server that serves all versions and stores the objects in one of them.
 */
export class Conversions {
  readonly #naming: Naming;
  readonly #schema: Schema;

  constructor(naming: Naming) {
    this.#naming = naming;
    this.#schema = loadSchema(naming);
  }

  /** The kind that a manifest names; undefined if this release does not have it. */
  find(apiVersion: string, kind: string): KindVersion | undefined {
    const group = groupOf(apiVersion) === '' ? '' : this.#naming.shortGroup(groupOf(apiVersion));
    if (group === undefined) return undefined;
    const resource = this.#resources().find((each) => {
      return each.group === group && each.version === versionOf(apiVersion) && each.kind === kind;
    });
    if (resource !== undefined) return this.#kindVersion(resource);
    const removed = REMOVED_VERSIONS.find((each) => {
      return each.group === group && each.version === versionOf(apiVersion) && each.kinds.includes(kind);
    });
    const successor = removed && this.find(this.#naming.apiVersion(...removed.successor), kind);
    return successor && { ...successor, apiVersion, removed };
  }

  /**
   * The versions of a kind, in all groups that have it. The first is the version to choose if the caller names none.
   */
  versionsOf({ message }: KindVersion): readonly KindVersion[] {
    const { storage, group, kind } = message.resource!;
    const same = this.#resources().filter((each) =>
      storage === undefined
        ? each.group === group && each.kind === kind
        : each.storage !== undefined && idOf(each.storage) === idOf(storage),
    );
    // A kind of several groups belongs to the group in which it is stored.
    const rank = (each: ResourceType): number => {
      if (storage !== undefined && each.group !== storage.group) return 2;
      return CHOSEN.get(each.group) === each.version ? 0 : 1;
    };
    const served = [...same].sort((a, b) => rank(a) - rank(b)).map((each) => this.#kindVersion(each));
    const removed = REMOVED_VERSIONS.flatMap(({ group, version, kinds, successor }) => {
      const shows = same.some((each) => each.group === successor[0] && each.version === successor[1]);
      return shows && kinds.includes(kind) ? (this.find(this.#naming.apiVersion(group, version), kind) ?? []) : [];
    });
    return [...served, ...removed];
  }

  /**
   * Sets the defaults of an object in its version, and converts it to another version of its kind. The argument is not
   * changed. Fields that one of the two versions lacks are left out. `shape` is called before the fields are renamed
   * for a removed version.
   * @throws DecodeError if a value does not fit its type
   */
  convert(object: ApiObject, from: KindVersion, to: KindVersion, shape: Shape = (as) => as): ApiObject {
    const written = asJson(cloneJson(object));
    from.removed?.form?.toSuccessor?.(written, this.#naming);
    const converted = shape(named(this.#betweenServed(written, from, to), to), to.message);
    to.removed?.form?.fromSuccessor?.(asJson(converted), this.#naming);
    return converted;
  }

  /** Converts between served versions. A removed version is replaced by its successor before. */
  #betweenServed(object: JsonObject, from: KindVersion, to: KindVersion): JsonObject {
    const given = from.message.resource!;
    const wanted = to.message.resource!;
    const read = asObject(decodeObject(from.message, object, {}));
    if (given.storage === undefined) return normalize(to.message, read);
    const context: VersionContext = { naming: this.#naming, release: defaultRelease, gates: NONE_ON };
    const versions = kindVersions.get(idOf(given.storage)) ?? {};
    const rulesOf = (type: ResourceType): VersionRules => versions[versionKey(type, given.storage!)] ?? {};
    fillDefaults(from.message, asJson(read));
    rulesOf(given).defaults?.(read, context);
    from.removed?.form?.undo?.(asJson(read), object);
    const stored = rulesOf(given).toStorage?.(read, context) ?? read;
    const kept = asObject(normalize(this.#storedMessage(given), stored));
    const shown = rulesOf(wanted).fromStorage?.(kept, context) ?? kept;
    return normalize(to.message, shown);
  }

  /** The message of the version in which objects of a kind are stored. */
  #storedMessage({ storage }: ResourceType): MessageType {
    const { group, plural, version } = storage!;
    return this.#resources().find((each) => each.group === group && each.plural === plural && each.version === version)!
      .message;
  }

  #resources(): readonly ResourceType[] {
    return this.#schema.groupVersions.flatMap(({ resources }) => resources);
  }

  #kindVersion({ group, version, kind, message }: ResourceType): KindVersion {
    return { apiVersion: this.#naming.apiVersion(group, version), kind, message };
  }
}

function idOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return storageId(group, plural);
}

function named(object: JsonObject, { kind, apiVersion }: KindVersion): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return asObject({ kind, apiVersion, ...rest });
}
