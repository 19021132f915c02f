import { parseStored } from '#base/json/parse-stored.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ObjectModel } from '../api/object-model.ts';
import { type ConverterContext, convertAsDefined } from '../custom-resources/conversion/webhook-converter.ts';
import { storageVersion } from '../custom-resources/definition/definition-defaults.ts';
import { CustomModel } from '../custom-resources/kinds/custom-model.ts';
import { SchemaCache } from '../custom-resources/kinds/schema-cache.ts';
import { createReadMetadata } from '../custom-resources/schema/read-metadata.ts';
import { ClusterServices } from '../outbound/cluster-services.ts';
import { HttpsPoster } from '../outbound/https-post.ts';
import { storedValue } from '../verbs/written.ts';
import { serviceObjects } from './service-objects.ts';

/** The form in which objects of a user-defined kind are stored, by its definition. */
export interface DefinedForm {
  /** The name of the definition, such as `widgets.example.com`. */
  readonly name: string;
  readonly kind: string;
  /** The version in which new objects are stored: `example.com/v1`. */
  readonly apiVersion: string;
  /**
   * The stored bytes in today's storage version. Undefined if the object already has that version or is of another
   * kind.
   *
   * @throws StatusError if the webhook of the definition does not convert the object
   */
  renewed(plain: Buffer): Promise<Buffer | undefined>;
}

/** The context that several definitions share. */
export class DefinedForms {
  readonly #conversions: ConverterContext;
  readonly #schemas: SchemaCache;
  readonly #readMetadata: ReturnType<typeof createReadMetadata>;

  /**
   * @param services stored services, endpoints and endpoint slices by their keys without the common prefix, such as
   * `core/services/default/hook`; the webhooks of definitions are called through them
   */
  constructor(naming: Naming, schema: Schema, services: ReadonlyMap<string, ApiObject>) {
    const metadata = schema.message('meta.v1.ObjectMeta');
    this.#conversions = {
      naming,
      poster: new HttpsPoster(),
      services: new ClusterServices(serviceObjects(services), naming, false),
      leaving: new AbortController().signal,
    };
    this.#schemas = new SchemaCache(naming.extensionPrefix, metadata);
    this.#readMetadata = createReadMetadata(metadata);
  }

  /** The form of one definition; undefined if it stores no version. */
  of(definition: CustomResourceDefinition): DefinedForm | undefined {
    const { spec, status, metadata } = definition;
    const version = storageVersion(definition);
    if (version === undefined) return undefined;
    const name = metadata.name ?? '';
    const kind = status?.acceptedNames?.kind || spec.names.kind;
    const apiVersion = `${spec.group}/${version}`;
    const models = this.#modelsOf(definition, name, kind);
    const renewed = async (plain: Buffer): Promise<Buffer | undefined> => {
      const object = parseStored<ApiObject>(plain);
      if (object.apiVersion === apiVersion || object.kind !== kind) return undefined;
      // The server does the same on a read and a write: it completes the object in its version, converts it, and
      // completes it in the new version.
      models.get(object.apiVersion ?? '')?.renew?.(object);
      const [after] = await convertAsDefined(definition, [object], apiVersion, this.#conversions);
      const model = models.get(apiVersion)!;
      model.renew?.(after!);
      return storedValue({ kind, apiVersion, model }, after!);
    };
    return { name, kind, apiVersion, renewed };
  }

  #modelsOf({ spec }: CustomResourceDefinition, name: string, kind: string): ReadonlyMap<string, ObjectModel> {
    const models = spec.versions!.map(({ name: version, schema }) => {
      const compiled = () => this.#schemas.get(`${name} ${version}`, () => schema?.openAPIV3Schema);
      const source = {
        kind,
        version,
        schema: () => compiled().structural,
        applySchema: () => compiled().applySchema,
      };
      return [`${spec.group}/${version}`, new CustomModel(source, this.#readMetadata)] as const;
    });
    return new Map(models);
  }
}
