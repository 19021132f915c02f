import { type FieldError, invalidValue } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { objectSchemaOfOpenApi } from '#schema/apply/open-api-type.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { CustomGroup, CustomResource, CustomVersion } from '../resources/custom-resource.ts';

const META = loadSchema().message('meta.v1.ObjectMeta');

/** The spec of the invented kind in one version: the default of each field, or undefined for none. */
export type Fields = Readonly<Record<string, number | undefined>>;

/** An object's spec; empty if it has none. */
export function specOf(object: object): JsonObject {
  const { spec } = object as { spec?: JsonValue };
  return isObject(spec) ? spec : {};
}

/** A kind that this system does not have. The numbers in its spec must not be negative. */
class InventedModel implements ObjectModel {
  readonly message = undefined;
  readonly confidential = false;
  readonly documented: ObjectModel['documented'];
  readonly renew: ObjectModel['renew'];
  readonly applySchema: ObjectModel['applySchema'];
  readonly #fields: Fields;

  constructor(kind: string, version: string, fields: Fields) {
    this.#fields = fields;
    const properties = Object.fromEntries(Object.keys(fields).map((name) => [name, { type: 'integer' }]));
    const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
    this.applySchema = objectSchemaOfOpenApi(schema, 'x-orch-', META);
    this.documented = {
      name: `com.example.stable.${version}.${kind}`,
      hash: JSON.stringify(schema),
      schema: async (_form, reference) => ({
        ...schema,
        properties: { ...schema.properties, metadata: reference('meta.v1.ObjectMeta') },
      }),
    };
    if (Object.values(fields).some((value) => value !== undefined)) {
      this.renew = (object) => {
        const before = JSON.stringify(specOf(object));
        this.defaults(object);
        return JSON.stringify(specOf(object)) !== before;
      };
    }
  }

  decode(value: JsonValue, options: Parameters<ObjectModel['decode']>[1]): JsonObject {
    const { metadata = {}, spec = {} } = value as JsonObject;
    const kept: JsonObject = {};
    for (const [name, one] of Object.entries(isObject(spec) ? spec : {})) {
      if (Object.hasOwn(this.#fields, name)) kept[name] = one;
      else options.unknown?.(`spec.${name}`);
    }
    return this.#form(value as JsonObject, decodeObject(META, metadata, options), kept);
  }

  canonical(object: object, options?: Parameters<ObjectModel['canonical']>[1]): JsonObject {
    const { metadata = {}, spec = {} } = object as { metadata?: object; spec?: JsonObject };
    return this.#form(object as JsonObject, normalize(META, metadata, options), cloneJson(spec) as JsonObject);
  }

  defaults(object: ApiObject): void {
    const spec = specOf(object);
    for (const [name, value] of Object.entries(this.#fields)) if (value !== undefined) spec[name] ??= value;
    object['spec'] = spec;
  }

  validate(object: ApiObject): readonly FieldError[] {
    return Object.entries(specOf(object)).flatMap(([name, value]) =>
      typeof value === 'number' && value < 0 ? [invalidValue(`spec.${name}`, value, 'must not be negative')] : [],
    );
  }

  #form({ kind, apiVersion }: JsonObject, metadata: JsonObject, spec: JsonObject): JsonObject {
    const sorted = Object.fromEntries(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      metadata,
      spec: sorted,
    };
  }
}

/** A version of the invented kind. */
function inventedVersion(
  group: string,
  plural: string,
  kind: string,
  version: string,
  fields: Fields,
  served = true,
  selectableFields: readonly string[] = [],
): CustomVersion {
  const model = new InventedModel(kind, version, fields);
  return {
    served,
    model: () => model,
    type: {
      group,
      version,
      kind,
      plural,
      singular: kind.toLowerCase(),
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: [],
      categories: [],
      subresources: [],
      columns: [],
      selectableFields,
      storage: undefined,
      allowCreateOnUpdate: false,
      unconditionalUpdate: false,
      deleteAnswersObject: false,
      orphanByDefault: false,
      generation: 'content',
      deprecation: undefined,
      removedRelease: undefined,
    },
  };
}

/** The invented resource: crates. Their size is in a different field in each version. */
export function crates(
  versions: readonly {
    readonly name: string;
    readonly fields: Fields;
    readonly served?: boolean;
    readonly selectableFields?: readonly string[];
  }[],
  storageVersion: string,
  more: Partial<CustomResource> = {},
): CustomResource {
  const group = 'stable.example.com';
  return {
    group,
    plural: 'crates',
    kind: 'Crate',
    namespaced: true,
    storageVersion,
    versions: versions.map(({ name, fields, served, selectableFields }) =>
      inventedVersion(group, 'crates', 'Crate', name, fields, served, selectableFields),
    ),
    ...more,
  };
}

/** The group of a resource that has no other resources. */
export function groupOf(resource: CustomResource): CustomGroup {
  return { name: resource.group, resources: [resource] };
}
