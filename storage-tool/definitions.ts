import { createHash } from 'node:crypto';
import { parseStored } from '#base/json/parse-stored.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ObjectModel } from '#server/api/object-model.ts';
import { type ConverterContext, convertAsDefined } from '#server/custom-resources/conversion/webhook-converter.ts';
import { storageVersion } from '#server/custom-resources/definition/definition-defaults.ts';
import { CustomModel } from '#server/custom-resources/kinds/custom-model.ts';
import { SchemaCache } from '#server/custom-resources/kinds/schema-cache.ts';
import { createReadMetadata } from '#server/custom-resources/schema/read-metadata.ts';
import { ClusterServices } from '#server/outbound/cluster-services.ts';
import { HttpsPoster } from '#server/outbound/https-post.ts';
import type { Data } from './data.ts';
import { storedServices } from './stored-services.ts';

const DEFINITIONS = 'apiextensions/customresourcedefinitions/';

/** A kind that users have defined, as it is stored. */
export interface DefinedKind {
  /** Of the definition. */
  readonly name: string;
  readonly kind: string;
  /** In which its objects are stored from now on. */
  readonly apiVersion: string;
  /** Versions in which some may be stored, as its status says. */
  readonly storedVersions: readonly string[];
  /** Where the definition lies; what is made of it is good at this revision alone. */
  readonly key: string;
  readonly revision: number;
  /** What is known of its objects by their apiVersion. */
  readonly models: ReadonlyMap<string, ObjectModel>;
  /** The object in the version that is stored, as the definition says. Rejects where its webhook does not do it. */
  convert(object: ApiObject): Promise<ApiObject>;
}

/** What is stored of definitions, read once. */
export class Definitions {
  readonly #kinds: ReadonlyMap<string, DefinedKind>;

  private constructor(kinds: ReadonlyMap<string, DefinedKind>) {
    this.#kinds = kinds;
  }

  static async read(data: Data): Promise<Definitions> {
    const found: { readonly key: string; readonly revision: number; readonly definition: CustomResourceDefinition }[] =
      [];
    await data.each(DEFINITIONS, ({ key, revision, plain }) => {
      if (plain !== undefined) found.push({ key, revision, definition: parseStored(plain) });
    });
    const called = found.flatMap(({ definition }) => definition.spec.conversion?.webhook?.clientConfig?.service ?? []);
    const namespaces = new Set(called.map(({ namespace }) => namespace));
    const conversions: ConverterContext = {
      naming: data.naming,
      poster: new HttpsPoster(),
      services: new ClusterServices(await storedServices(data, namespaces), data.naming, false),
      leaving: new AbortController().signal,
    };
    const metadata = data.schema.message('meta.v1.ObjectMeta');
    const schemas = new SchemaCache(data.naming.extensionPrefix, metadata);
    const readMetadata = createReadMetadata(metadata);
    const kinds = new Map<string, DefinedKind>();
    for (const { key, revision, definition } of found) {
      const { spec, status } = definition;
      const version = storageVersion(definition);
      if (version === undefined) continue;
      const name = definition.metadata.name ?? '';
      const kind = status?.acceptedNames?.kind || spec.names.kind;
      const apiVersion = `${spec.group}/${version}`;
      const models = spec.versions!.map(({ name: one, schema }) => {
        const compiled = () => schemas.get(`${name} ${one}`, () => schema?.openAPIV3Schema);
        const source = {
          kind,
          version: one,
          schema: () => compiled().structural,
          applySchema: () => compiled().applySchema,
        };
        return [`${spec.group}/${one}`, new CustomModel(source, readMetadata)] as const;
      });
      kinds.set(`${data.naming.shortForm(spec.group)}/${spec.names.plural}`, {
        name,
        kind,
        apiVersion,
        storedVersions: status?.storedVersions ?? [],
        key,
        revision,
        models: new Map(models),
        convert: async (object) => (await convertAsDefined(definition, [object], apiVersion, conversions))[0]!,
      });
    }
    return new Definitions(kinds);
  }

  /** The kind whose objects have this storage id. */
  of(id: string): DefinedKind | undefined {
    return this.#kinds.get(id);
  }

  [Symbol.iterator](): Iterator<readonly [id: string, kind: DefinedKind]> {
    return this.#kinds.entries();
  }

  /** Changes when objects of one that had several versions are to be stored otherwise. */
  get digest(): string {
    const several = [...this.#kinds.values()].filter(({ storedVersions }) => storedVersions.length > 1);
    const hash = createHash('sha256');
    for (const { name, apiVersion } of several) hash.update(`${name} ${apiVersion}\n`);
    return hash.digest('hex');
  }
}
