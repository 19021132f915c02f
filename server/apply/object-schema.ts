import type { JsonObject } from '../json/json-value.ts';
import { normalize } from '../schema/normalize.ts';
import type { MessageType } from '../schema/types.ts';
import { type ApplyType, applyTypeOf } from './apply-type.ts';

/** What is known of an object in one version. */
export interface ObjectSchema {
  readonly type: ApplyType;
  /** The object before anything is set: fields that are always written, at their zero values. */
  readonly empty: JsonObject;
}

/** The versions an object can be seen in. */
export interface Versions {
  /** The schema in a version such as `apps/v1`; undefined when it is no longer served. */
  schema(apiVersion: string): ObjectSchema | undefined;
  /**
   * The object of version `from` in version `to`; undefined when one of them is no longer served. The object may be
   * incomplete and is not to be changed; the answer is in canonical form.
   */
  convert(object: JsonObject, from: string, to: string): JsonObject | undefined;
}

const schemas = new WeakMap<MessageType, ObjectSchema>();

/** The schema of a built-in kind, made once. */
export function objectSchemaOf(message: MessageType): ObjectSchema {
  let schema = schemas.get(message);
  if (schema === undefined)
    schemas.set(message, (schema = { type: applyTypeOf(message), empty: normalize(message, {}) }));
  return schema;
}

/** An object that is asked for in several versions; each is made once. */
export class VersionedObject {
  readonly object: JsonObject;
  readonly #apiVersion: string;
  readonly #versions: Versions;
  readonly #made: Map<string, JsonObject | undefined>;

  constructor(object: JsonObject, apiVersion: string, versions: Versions) {
    this.object = object;
    this.#apiVersion = apiVersion;
    this.#versions = versions;
    this.#made = new Map([[apiVersion, object]]);
  }

  /** The object in a version; undefined when that is no longer served. */
  in(apiVersion: string): JsonObject | undefined {
    if (!this.#made.has(apiVersion))
      this.#made.set(apiVersion, this.#versions.convert(this.object, this.#apiVersion, apiVersion));
    return this.#made.get(apiVersion);
  }
}
