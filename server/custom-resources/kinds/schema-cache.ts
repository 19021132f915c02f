import type { ObjectSchema } from '#schema/apply/apply-type.ts';
import { objectSchemaOfOpenApi } from '#schema/apply/open-api-type.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

/**
 * The largest number of compiled schemas. The least recently used ones are removed, and are compiled again at their
 * next use.
 */
const KEPT = 500;

/** A schema in the forms that walks over objects use. */
class CompiledSchema {
  readonly structural: StructuralSchema;
  /** The source of the schema is as large as the compiled form, so it is not kept. */
  readonly #read: () => JSONSchemaProps | undefined;
  readonly #cache: SchemaCache;
  #applySchema: ObjectSchema | undefined;

  constructor(read: () => JSONSchemaProps | undefined, cache: SchemaCache) {
    this.structural = compileSchema(read(), cache.extensionPrefix, cache.namePrefix);
    this.#read = read;
    this.#cache = cache;
  }

  get applySchema(): ObjectSchema {
    this.#applySchema ??= objectSchemaOfOpenApi(
      asJson(this.#read()),
      this.#cache.extensionPrefix,
      this.#cache.metadata,
    );
    return this.#applySchema;
  }
}

/** Compiled schemas of all definitions, up to a limit. */
export class SchemaCache {
  readonly extensionPrefix: string;
  readonly namePrefix: string | undefined;
  readonly metadata: MessageType;
  readonly #kept = new Map<string, CompiledSchema>();

  /** `namePrefix` is the prefix of name formats; undefined if the release does not have them. */
  constructor(extensionPrefix: string, metadata: MessageType, namePrefix?: string) {
    this.namePrefix = namePrefix;
    this.extensionPrefix = extensionPrefix;
    this.metadata = metadata;
  }

  /**
   * The schema with this `key`, which names a revision of the schema. `read` returns the schema of the definition, now
   * and later.
   */
  get(key: string, read: () => JSONSchemaProps | undefined): CompiledSchema {
    let schema = this.#kept.get(key);
    if (schema === undefined) schema = new CompiledSchema(read, this);
    else this.#kept.delete(key);
    this.#kept.set(key, schema);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return schema;
  }
}
