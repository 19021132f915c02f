import type { JsonObject } from '#base/json/json-value.ts';
import type { ObjectSchema } from './apply-type.ts';

/** The versions in which an object can be shown. */
export interface Versions {
  /** The schema in a version such as `apps/v1`; undefined if the version is no longer served. */
  schema(apiVersion: string): ObjectSchema | undefined;
  /**
   * The object of version `from` in version `to`; undefined if one of them is no longer served. The object may be
   * incomplete. The function does not change it. The result is in canonical form.
   */
  convert(object: JsonObject, from: string, to: string): JsonObject | undefined;
}

/** An object that callers need in several versions. Each version is made only once. */
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

  /** The object in a version; undefined if the version is no longer served. */
  in(apiVersion: string): JsonObject | undefined {
    if (!this.#made.has(apiVersion))
      this.#made.set(apiVersion, this.#versions.convert(this.object, this.#apiVersion, apiVersion));
    return this.#made.get(apiVersion);
  }
}
