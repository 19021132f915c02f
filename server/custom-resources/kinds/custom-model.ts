import { append } from '#base/collections/append.ts';
import type { FieldError } from '#base/errors/field-error.ts';
import { tooLarge } from '#base/errors/status-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { isObject } from '#base/json/json-value.ts';
import type { ObjectSchema } from '#schema/apply/apply-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { CanonicalOptions } from '#schema/objects/canonical.ts';
import { DecodeError, type DecodeOptions } from '#schema/objects/decode.ts';
import type { MaybePromise } from '../../api/maybe-promise.ts';
import type { DocumentedSchema, ObjectModel } from '../../api/object-model.ts';
import { checkInTurns } from '../schema/check-work.ts';
import { DefaultsTooLargeError, defaultValues } from '../schema/default-values.ts';
import { coerceEmbedded, EmbeddedObjectError, type ReadMetadata } from '../schema/embedded-objects.ts';
import { pruneNulls, pruneObject, pruneStored } from '../schema/prune.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { NumberTooLargeError, sortedCopy, sortedMembers } from './fresh-copy.ts';
import { type ObjectForms, objectErrors } from './object-errors.ts';

/** The first members of every object. */
const FIRST_MEMBERS = ['kind', 'apiVersion', 'metadata'];

/** The source of a model's definition. It always gives the newest definition that this replica knows. */
export interface SchemaSource {
  readonly kind: string;
  readonly version: string;
  /**
   * The compiled schema. It is compiled at its first use, and is the same object while the definition does not change.
   */
  schema(): StructuralSchema;
  /** How objects are checked. By default it is as in the first release. */
  readonly forms?: ObjectForms;
  /** The schema for server-side apply; like `schema`. */
  applySchema(): ObjectSchema;
}

/**
 * The model of a custom kind in one version, from its schema. The model is the same object while the definition
 * changes. A watch reads each change with the newest schema, and writes compare the definition's revision.
 */
export class CustomModel implements ObjectModel {
  readonly message = undefined;
  readonly confidential = false;
  readonly documented: DocumentedSchema | undefined;
  readonly #source: SchemaSource;
  readonly #readMetadata: ReadMetadata;
  readonly #renewed = (object: ApiObject): boolean => this.#renew(asJson(object));
  readonly #fitted = (object: ApiObject): boolean => pruneStored(this.schema, asJson(object));

  constructor(source: SchemaSource, readMetadata: ReadMetadata, documented?: DocumentedSchema) {
    this.#source = source;
    this.#readMetadata = readMetadata;
    this.documented = documented;
  }

  get schema(): StructuralSchema {
    return this.#source.schema();
  }

  /**
   * Undefined if the schema keeps all fields and has no defaults, because objects then always have their stored form.
   */
  get renew(): ((object: ApiObject) => boolean) | undefined {
    return this.schema.holds.defaults || this.#prunes ? this.#renewed : undefined;
  }

  get fit(): ((object: ApiObject) => boolean) | undefined {
    return this.#prunes ? this.#fitted : undefined;
  }

  get #prunes(): boolean {
    const { preserve, properties } = this.schema;
    return !preserve || properties.size > 0;
  }

  get applySchema(): ObjectSchema {
    return this.#source.applySchema();
  }

  decode(value: JsonValue, options: DecodeOptions): JsonObject {
    const { schema } = this;
    const refuse = (detail: string) => new DecodeError(this.#source.kind, this.#source.version, detail);
    let object: JsonObject;
    try {
      object = sortedCopy(isObject(value) ? value : {}) as JsonObject;
    } catch (error) {
      if (!(error instanceof NumberTooLargeError)) throw error;
      throw refuse(error.message);
    }
    const unknown: string[] = [];
    try {
      const report = (path: string) => void unknown.push(`metadata.${path}`);
      object['metadata'] = this.#readMetadata(object['metadata'] ?? {}, report);
    } catch (error) {
      throw refuse((error as { detail?: string; message: string }).detail ?? (error as Error).message);
    }
    append(unknown, pruneObject(schema, object, options.unknown !== undefined));
    if (options.keepNulls !== true) pruneNulls(schema, object);
    try {
      append(unknown, coerceEmbedded(schema, object, this.#readMetadata));
    } catch (error) {
      if (!(error instanceof EmbeddedObjectError)) throw error;
      throw refuse(error.message);
    }
    if (options.unknown !== undefined) for (const path of unknown) options.unknown(path);
    return object;
  }

  canonical(object: object, options?: CanonicalOptions): JsonObject {
    const json = object as JsonObject;
    const rest = Object.keys(json).filter((name) => !FIRST_MEMBERS.includes(name) && json[name] !== undefined);
    const { kind, apiVersion, metadata } = json;
    return {
      ...(kind !== undefined && { kind }),
      ...(apiVersion !== undefined && { apiVersion }),
      metadata: this.#readMetadata(metadata ?? {}, () => {}, options),
      ...sortedMembers(json, rest.sort()),
    };
  }

  defaults(object: ApiObject): void {
    try {
      defaultValues(this.schema, asJson(object));
    } catch (error) {
      if (!(error instanceof DefaultsTooLargeError)) throw error;
      throw tooLarge('the defaults of its schema make the object larger than the store takes');
    }
  }

  validate(
    object: ApiObject,
    old: ApiObject | undefined,
    warn: (text: string) => void = () => {},
  ): MaybePromise<readonly FieldError[]> {
    const [value, before] = [object, old] as unknown as [JsonObject, JsonObject | undefined];
    return checkInTurns(objectErrors(this.schema, value, before, this.#source.forms, warn));
  }

  #renew(object: JsonObject): boolean {
    const { schema } = this;
    const pruned = pruneStored(schema, object);
    try {
      return defaultValues(schema, object) || pruned;
    } catch (error) {
      // Objects that were stored with another schema get as many defaults as their size allows.
      if (!(error instanceof DefaultsTooLargeError)) throw error;
      return true;
    }
  }
}
