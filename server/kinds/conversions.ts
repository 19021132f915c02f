import { inStorageVersion } from '../api/built-in-reading.ts';
import { modelsOf, versionKey } from '../api/built-in-resources.ts';
import { MessageModel } from '../api/message-model.ts';
import type { ObjectModel } from '../api/object-model.ts';
import { storageId } from '../api/resource-set.ts';
import { createFeatureGates, type FeatureGates } from '../config/feature-gates.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Naming } from '../naming/naming.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { groupOf, versionOf } from '../schema/api-version.ts';
import { loadSchema } from '../schema/load.ts';
import type { MessageType, ResourceType, Schema } from '../schema/types.ts';
import { type KindVersions, kindVersions } from './index.ts';

/** A kind in one of its versions. */
export interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: MessageType;
}

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

/** Versions that are served no more, of the form and with the defaults of the one that took their place, and their kinds. */
const FORMER: readonly (readonly [group: string, version: string, like: string, kinds: readonly string[]])[] = [
  ['batch', 'v1beta1', 'v1', ['CronJob']],
  ['coordination', 'v1beta1', 'v1', ['Lease']],
  ['node', 'v1beta1', 'v1', ['RuntimeClass']],
  ['rbac.authorization', 'v1beta1', 'v1', ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']],
  ['scheduling', 'v1beta1', 'v1', ['PriorityClass']],
  ['storage', 'v1beta1', 'v1', ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment']],
];

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
    const former = FORMER.find((each) => {
      return each[0] === group && each[1] === versionOf(apiVersion) && each[3].includes(kind);
    });
    const like = former && this.find(this.#naming.apiVersion(group, former[2]), kind);
    return like && { ...like, apiVersion };
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
    const former = FORMER.filter((each) => each[0] === group && each[3].includes(kind)).flatMap((each) => {
      return this.find(this.#naming.apiVersion(group, each[1]), kind) ?? [];
    });
    return [...served, ...former];
  }

  /**
   * A parsed object of one version as one of another version of its kind, completed by the defaults of the version that it
   * was written in. The argument stays as it is. Fields that its version does not have are left out.
   * @throws DecodeError where a value does not fit its type
   */
  convert(object: ApiObject, from: KindVersion, to: KindVersion): ApiObject {
    const given = from.message.resource!;
    const wanted = to.message.resource!;
    if (given.storage === undefined) {
      const read = new MessageModel(from.message).decode(object as unknown as JsonObject, {});
      return named(new MessageModel(to.message).canonical(read), to);
    }
    const { rules, models } = this.#storedKind(given);
    const context = { naming: this.#naming, gates: this.#gates };
    // a former version is completed as the one that took its place
    const writtenIn = this.#kindVersion(given).apiVersion;
    const model = models.get(versionKey(given, rules))!;
    const read = model.decode(object as unknown as JsonObject, {}) as unknown as ApiObject;
    const storedModel = models.get(given.storage.version)!;
    const stored = inStorageVersion(context, { group: rules.group, rules, models }, writtenIn, read);
    const kept = storedModel.canonical(stored) as unknown as ApiObject;
    const shown = rules.versions?.[versionKey(wanted, rules)]?.fromStorage?.(kept, context) ?? kept;
    return named(models.get(versionKey(wanted, rules))!.canonical(shown), to);
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
