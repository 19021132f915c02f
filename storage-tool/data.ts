import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { Encryption } from '#program/encryption/encryption.ts';
import { isSealed, whyNotOpened } from '#program/encryption/sealed-value.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ResourceType, Schema } from '#schema/descriptors/types.ts';
import type { Backend, RawValue } from './backend.ts';
import type { Invocation } from './command-line.ts';

/** The place of an object in the store. */
export interface Place {
  /** The storage id, such as `core/secrets`. */
  readonly id: string;
  /** The namespace; empty for a cluster-wide object. */
  readonly namespace: string;
  readonly name: string;
}

/** A stored object, or the problem of its value. */
export interface StoredObject extends Place, RawValue {
  /** The plain value; undefined if it cannot be decrypted. */
  readonly plain: Buffer | undefined;
  /** The reason why the value cannot be decrypted. */
  readonly problem?: string;
}

/** A built-in resource in the store. */
export interface BuiltIn {
  readonly type: ResourceType;
  readonly apiVersion: string;
  /**
   * The types of the resource in all versions in which it may be stored. An earlier or a later release may have stored
   * it.
   */
  readonly versions: ReadonlyMap<string, ResourceType>;
}

/** The meaning of the keys and values in the store. */
export class Data {
  readonly etcd: Backend;
  readonly prefix: string;
  readonly naming: Naming;
  readonly schema: Schema;
  readonly builtIn: ReadonlyMap<string, BuiltIn>;
  readonly encryption: Encryption | undefined;

  private constructor(etcd: Backend, { prefix, encryptionFile }: Invocation, naming: Naming) {
    this.etcd = etcd;
    this.prefix = prefix;
    this.naming = naming;
    this.schema = loadSchema(naming, 'every');
    const builtIn = new Map<string, BuiltIn>();
    const versions = new Map<string, Map<string, ResourceType>>();
    const storages = new Map<string, { group: string; plural: string }>();
    for (const { group, resources } of this.schema.groupVersions) {
      for (const type of resources) {
        const { storage } = type;
        if (storage === undefined) continue;
        const id = `${group || 'core'}/${type.plural}`;
        const apiVersion = naming.apiVersion(group, type.version);
        storages.set(id, storage);
        if (storage.group !== group || storage.plural !== type.plural) continue;
        const known = versions.get(id) ?? new Map<string, ResourceType>();
        versions.set(id, known.set(apiVersion, type));
        if (storage.version === type.version) builtIn.set(id, { type, apiVersion, versions: known });
      }
    }
    this.builtIn = builtIn;
    if (encryptionFile !== '') {
      const storageOf = (group: string, plural: string) => storages.get(`${group || 'core'}/${plural}`);
      this.encryption = new Encryption({
        file: encryptionFile,
        reloads: false,
        context: { naming, allowsKmsV2: true, storageOf },
        metrics: new MetricSet(),
        log: { info() {}, error() {} },
      });
    }
  }

  /**
   * Reads the naming of the data from its marker.
   * @throws ConfigError
   */
  static async of(etcd: Backend, invocation: Invocation): Promise<Data> {
    const { prefix, naming } = invocation;
    // The tool reads the marker from one member only, because the marker never changes. So it can also back up a
    // cluster without a majority.
    const marker = await etcd.get(`${prefix}/profile`, true);
    if (marker === undefined && naming === undefined)
      throw new ConfigError(`there is no data of API servers under ${prefix}; --etcd-prefix may be another one`);
    const said = marker && (JSON.parse(marker.value.toString()) as { naming?: string }).naming;
    const found = naming ?? createNaming(said === 'kubernetes' ? 'kubernetes' : 'orch');
    if (said !== undefined && found.profile !== said)
      throw new ConfigError(`the data under ${prefix} was written with --naming=${said}`);
    return new Data(etcd, invocation, found);
  }

  /** The place of an absolute key; undefined if the key is not that of an object. */
  place(key: string): Place | undefined {
    const [group, plural, ...rest] = key.slice(this.prefix.length + 1).split('/');
    const [first, second, more] = rest;
    if (group === 'claims' || plural === undefined || first === undefined || more !== undefined) return undefined;
    const id = `${group}/${plural}`;
    // Keys of the system itself have no dot, and belong to no resource.
    if (!this.builtIn.has(id) && !group!.includes('.')) return undefined;
    return second === undefined ? { id, namespace: '', name: first } : { id, namespace: first, name: second };
  }

  async open(place: Place, raw: RawValue): Promise<StoredObject> {
    const sealing = this.encryption?.sealingOf(place.id);
    if (sealing === undefined) {
      return isSealed(raw.value)
        ? {
            ...place,
            ...raw,
            plain: undefined,
            problem: 'it is encrypted, and no --encryption-provider-config names its resource',
          }
        : { ...place, ...raw, plain: raw.value };
    }
    try {
      return { ...place, ...raw, plain: await sealing.open(raw.value, Buffer.from(raw.key)) };
    } catch (error) {
      const problem = whyNotOpened(raw.value, error instanceof Error ? error.message : String(error));
      return { ...place, ...raw, plain: undefined, problem };
    }
  }

  /**
   * Calls `take` for all objects under a part of the prefix, or only for those after a key. It reads all of them at one
   * revision and resolves to this revision.
   */
  each(under: string, take: (object: StoredObject) => void | Promise<void>, after?: string): Promise<number> {
    const each = async (raw: RawValue) => {
      const place = this.place(raw.key);
      if (place !== undefined) await take(await this.open(place, raw));
    };
    return this.etcd.each(`${this.prefix}/${under}`, each, after);
  }

  close(): void {
    this.encryption?.close();
  }
}
