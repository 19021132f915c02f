import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType, ResourceType, Schema } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { groupOf, versionOf } from '#schema/values/api-version.ts';
import type { ObjectModel } from '../api/object-model.ts';
import { createFeatureGates, type FeatureGates } from '../config/feature-gates.ts';
import { modelsOf, versionKey } from '../resources/built-in-resources.ts';
import { MessageModel } from '../resources/message-model.ts';
import { storageId } from '../resources/resource-set.ts';
import { FORMER_VERSIONS, type FormerVersion } from './former/versions.ts';
import { type KindVersions, kindVersions } from './index.ts';

/** A kind in one of its versions. */
export interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the version that took its place, where it is a former one. */
  readonly message: MessageType;
  readonly former?: FormerVersion;
}

/** Gives an object of a present version the form that its fields are to have. */
type Shape = (object: ApiObject, message: MessageType) => ApiObject;

/** A stored kind and the models of its versions. */
interface StoredKind {
  readonly rules: KindVersions;
  readonly models: ReadonlyMap<string, ObjectModel>;
}

/**
 * Groups of which another version than the one that discovery prefers is chosen where nobody asks for one: what every
 * release can read.
 */
const CHOSEN: ReadonlyMap<string, string> = new Map([['autoscaling', 'v1']]);

/**
 * Conversion of objects of built-in kinds between the versions of this release, without a server: as one does it that
 * serves all of them, stores them in one and asks nobody.
 */
export class Conversions {
  readonly #naming: Naming;
  readonly #gates: FeatureGates = createFeatureGates();
  readonly #schema: Schema;
  readonly #versions = kindVersions();
  readonly #stored = new Map<string, StoredKind>();

  constructor(naming: Naming) {
    this.#naming = naming;
    this.#schema = loadSchema(naming);
  }

  /** A kind as it is called in manifests; undefined where it is none of this release. */
  find(apiVersion: string, kind: string): KindVersion | undefined {
    const group = groupOf(apiVersion) === '' ? '' : this.#naming.shortGroup(groupOf(apiVersion));
    if (group === undefined) return undefined;
    const resource = this.#resources().find((each) => {
      return each.group === group && each.version === versionOf(apiVersion) && each.kind === kind;
    });
    if (resource !== undefined) return this.#kindVersion(resource);
    const former = FORMER_VERSIONS.find((each) => {
      return each.group === group && each.version === versionOf(apiVersion) && each.kinds.includes(kind);
    });
    const present = former && this.find(this.#naming.apiVersion(...former.present), kind);
    return present && { ...present, apiVersion, former };
  }

  /** The versions of a kind, in all groups that show it; the first is the one to choose where nobody says another. */
  versionsOf({ message }: KindVersion): readonly KindVersion[] {
    const { storage, group, kind } = message.resource!;
    const same = this.#resources().filter((each) =>
      storage === undefined
        ? each.group === group && each.kind === kind
        : each.storage !== undefined && idOf(each.storage) === idOf(storage),
    );
    // a kind of several groups is the one that it is stored as
    const rank = (each: ResourceType): number => {
      if (storage !== undefined && each.group !== storage.group) return 2;
      return CHOSEN.get(each.group) === each.version ? 0 : 1;
    };
    const served = [...same].sort((a, b) => rank(a) - rank(b)).map((each) => this.#kindVersion(each));
    const former = FORMER_VERSIONS.flatMap(({ group, version, kinds, present }) => {
      const shows = same.some((each) => each.group === present[0] && each.version === present[1]);
      return shows && kinds.includes(kind) ? (this.find(this.#naming.apiVersion(group, version), kind) ?? []) : [];
    });
    return [...served, ...former];
  }

  /**
   * A parsed object of one version as one of another version of its kind, completed by the defaults of the version that it
   * was written in. The argument stays as it is. Fields that its version does not have are left out. `shape` gives it the
   * form that its fields are to have, before they become those of a former version.
   * @throws DecodeError where a value does not fit its type
   */
  convert(object: ApiObject, from: KindVersion, to: KindVersion, shape: Shape = (as) => as): ApiObject {
    const written = cloneJson(object) as unknown as JsonObject;
    from.former?.form?.toPresent?.(written, this.#naming);
    const present = shape(named(this.#toPresent(written, from, to), to), to.message);
    to.former?.form?.fromPresent?.(present as unknown as JsonObject, this.#naming);
    return present;
  }

  /** Converts between versions that are served, from the one that took the place of a former one to another such one. */
  #toPresent(object: JsonObject, from: KindVersion, to: KindVersion): JsonObject {
    const given = from.message.resource!;
    const wanted = to.message.resource!;
    if (given.storage === undefined) {
      const read = new MessageModel(from.message).decode(object, {});
      return new MessageModel(to.message).canonical(read);
    }
    const { rules, models } = this.#storedKind(given);
    const context = { naming: this.#naming, gates: this.#gates };
    const model = models.get(versionKey(given, rules))!;
    const read = model.decode(object, {}) as unknown as ApiObject;
    model.defaults(read);
    from.former?.form?.undo?.(read as unknown as JsonObject, object);
    const stored = rules.versions?.[versionKey(given, rules)]?.toStorage?.(read, context) ?? read;
    const kept = models.get(given.storage.version)!.canonical(stored) as unknown as ApiObject;
    const shown = rules.versions?.[versionKey(wanted, rules)]?.fromStorage?.(kept, context) ?? kept;
    return models.get(versionKey(wanted, rules))!.canonical(shown);
  }

  #resources(): readonly ResourceType[] {
    return this.#schema.groupVersions.flatMap(({ resources }) => resources);
  }

  #kindVersion({ group, version, kind, message }: ResourceType): KindVersion {
    return { apiVersion: this.#naming.apiVersion(group, version), kind, message };
  }

  #storedKind({ storage }: ResourceType): StoredKind {
    const id = idOf(storage!);
    let kind = this.#stored.get(id);
    if (kind === undefined) {
      const rules = this.#versions.get(id) ?? { group: storage!.group, plural: storage!.plural };
      const parts = { schema: this.#schema, naming: this.#naming, gates: this.#gates };
      this.#stored.set(id, (kind = { rules, models: modelsOf(rules, parts) }));
    }
    return kind;
  }
}

function idOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return storageId(group, plural);
}

function named(object: JsonObject, { kind, apiVersion }: KindVersion): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return { kind, apiVersion, ...rest } as unknown as ApiObject;
}
