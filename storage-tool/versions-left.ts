import type { Backend } from './backend.ts';
import type { StoredObject } from './data.ts';
import type { Definitions } from './definitions.ts';

/** Versions in the status of a definition in which no object is stored any more. */
export interface ObsoleteVersions {
  /** The name of the definition. */
  readonly definition: string;
  readonly gone: readonly string[];
  /** The versions that the status still needs. */
  readonly storedVersions: readonly string[];
}

/** The versions in which objects of custom kinds are stored, collected while a part of the store is read. */
export class VersionsLeft {
  readonly #definitions: Definitions;
  readonly #under: string;
  /** The versions of objects that are not in the storage version, by storage id and key. */
  readonly #left = new Map<string, Map<string, string>>();
  readonly #unknown = new Set<string>();

  constructor(definitions: Definitions, under: string) {
    this.#definitions = definitions;
    this.#under = under;
  }

  /** Records the version of an existing object. */
  seen({ id, key }: StoredObject, plain: Buffer): void {
    const defined = this.#definitions.of(id);
    if (defined === undefined) return;
    const apiVersion = /^\{"kind":"[^"]*","apiVersion":"([^"]*)"/.exec(plain.toString('latin1', 0, 1000))?.[1];
    if (apiVersion === defined.form.apiVersion) return;
    if (apiVersion === undefined) {
      this.unknown(id);
      return;
    }
    const left = this.#left.get(id) ?? new Map<string, string>();
    this.#left.set(id, left.set(key, apiVersion.slice(apiVersion.indexOf('/') + 1)));
  }

  /** Records that the stored form of the object is now the current one. */
  written({ id, key }: StoredObject): void {
    this.#left.get(id)?.delete(key);
  }

  /** Records that an object of the resource cannot be read. */
  unknown(id: string): void {
    this.#unknown.add(id);
  }

  /** The obsolete versions of definitions whose objects were all read, and that did not change in the meantime. */
  async obsolete(etcd: Pick<Backend, 'get'>): Promise<ObsoleteVersions[]> {
    const found: ObsoleteVersions[] = [];
    for (const [id, { form, storedVersions, key, revision }] of this.#definitions) {
      const { name, apiVersion } = form;
      if (this.#unknown.has(id) || !`${id}/`.startsWith(this.#under)) continue;
      const now = apiVersion.slice(apiVersion.indexOf('/') + 1);
      const needed = new Set([...(this.#left.get(id)?.values() ?? []), now]);
      const gone = storedVersions.filter((version) => !needed.has(version));
      if (gone.length === 0 || (await etcd.get(key))?.revision !== revision) continue;
      found.push({ definition: name, gone, storedVersions: storedVersions.filter((version) => needed.has(version)) });
    }
    return found;
  }
}
