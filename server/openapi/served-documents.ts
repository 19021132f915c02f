import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { WordsSource } from '#schema/words/load.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { ServedResources } from '../api/served-resources.ts';
import { editionOf } from './edition.ts';
import { MessageDefinitions } from './message-definitions.ts';
import type { DocumentedKind, Paths, Section } from './model.ts';
import { type DocumentsElsewhere, OpenApi } from './openapi.ts';
import type { OperationsOptions } from './resource-operations.ts';
import { resourcePaths } from './resource-paths.ts';
import { discoveryRoots, type GroupName, groupSection, resourceListPaths, rootSections } from './root-sections.ts';
import { hashOf } from './section-hash.ts';

/** The group that registers group versions. It is not registered itself, so before 1.27 it has no v3 document. */
const REGISTERING = 'apiregistration';

/** The documented part of the served resources. */
export interface Served {
  readonly schema: Schema;
  readonly naming: Naming;
  current(): ServedResources;
}

/** The documents of the served resources. They are made again after every change. */
export class ServedDocuments {
  readonly #served: Served;
  readonly #options: OperationsOptions;
  readonly #openapi: OpenApi;
  /** The sources of the sections, by key. */
  readonly #made = new Map<string, object>();
  readonly #kinds = new WeakMap<ServedResource, DocumentedKind>();
  #edition: Promise<string> | undefined;
  #known: ServedResources | undefined;

  /** @param elsewhere documents of other servers, which are published together with those of this server */
  constructor(served: Served, words: WordsSource, elsewhere?: DocumentsElsewhere) {
    const { schema, naming } = served;
    this.#served = served;
    this.#options = { schema, naming, definitions: new MessageDefinitions(schema, naming, words) };
    const roots = [...rootSections(this.#options), ...discoveryRoots(this.#options)];
    this.#openapi = new OpenApi(naming, schema.release, words.hash, roots, elsewhere);
  }

  /** The present documents. Only parts that have changed since the last call are made again. */
  now(): OpenApi {
    const { schema } = this.#served;
    const resources = this.#served.current();
    if (resources === this.#known) return this.#openapi;
    this.#known = resources;
    const gone = new Set(this.#made.keys());
    const set = (key: string, told: object, make: () => Section): void => {
      gone.delete(key);
      if (this.#made.get(key) === told) return;
      this.#made.set(key, told);
      this.#openapi.set(make());
    };
    for (const group of resources.groups) {
      const { name, versions } = group;
      const title = { name, short: this.#options.naming.shortForm(name) };
      const onlyV2 = title.short === REGISTERING && !schema.release.atLeast(27);
      const builtIn = versions.flatMap((version) => resources.inVersion(name, version)).some(isBuiltIn);
      if (name !== '' && builtIn) set(`apis/${name}`, group, () => ({ ...groupSection(this.#options, title), onlyV2 }));
      for (const version of versions) {
        const key = name === '' ? `api/${version}` : `apis/${name}/${version}`;
        const inVersion = resources.inVersion(name, version);
        const custom = inVersion.length > 0 && !inVersion.some(isBuiltIn);
        set(key, inVersion, () =>
          custom
            ? { key, onlyV2, kinds: inVersion.map((served) => this.#kindOf(served)), paths: () => new Map() }
            : { key, onlyV2, paths: () => this.#paths(title, version, inVersion) },
        );
      }
    }
    for (const key of gone) {
      this.#made.delete(key);
      this.#openapi.delete(key);
    }
    return this.#openapi;
  }

  #paths(group: GroupName, version: string, served: readonly ServedResource[]): Paths {
    return new Map([
      ...resourceListPaths(this.#options, group, version),
      ...served.flatMap((one) => [...resourcePaths(this.#options, one)]),
    ]);
  }

  #kindOf(served: ServedResource): DocumentedKind {
    let kind = this.#kinds.get(served);
    if (kind === undefined) {
      const { group, version, type } = served;
      kind = {
        hash: async () => {
          this.#edition ??= editionOf(this.#options);
          const content = served.model.documented?.hash ?? '';
          return hashOf([await this.#edition, JSON.stringify([group, version, type]), content]);
        },
        paths: () => resourcePaths(this.#options, served),
      };
      this.#kinds.set(served, kind);
    }
    return kind;
  }
}

/** Whether the kind is built in, so that documents describe it. For custom kinds they contain only operations. */
function isBuiltIn({ model }: ServedResource): boolean {
  return model.message !== undefined;
}
