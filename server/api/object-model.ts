import type { FieldError } from '#base/errors/field-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { ObjectSchema } from '#schema/apply/apply-type.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { CanonicalOptions } from '#schema/objects/canonical.ts';
import type { DecodeOptions } from '#schema/objects/decode.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** The documentation of a model without a message. */
export interface DocumentedSchema {
  /** The definition's name: `com.example.stable.v1.CronTab`. */
  readonly name: string;
  /**
   * A hash that is the same on all replicas, and that changes whenever `schema` changes. Its computation may take
   * milliseconds.
   */
  readonly hash: string;
  /**
   * The schema in the form of documents. The caller may keep it. `reference` points to the definition of a message
   * (`meta.v1.ObjectMeta`). Other work of the process continues while a large schema is made.
   */
  schema(form: 'v2' | 'v3', reference: (message: string) => JsonObject): Promise<JsonObject>;
}

/**
 * The schema of the objects of one kind in one version. All code that walks over objects uses it: bodies, patches,
 * field ownership, storage, documents. Built-in kinds have the model of their message (`registry/message-model.ts`),
 * and custom kinds have the model of their definition's schema.
 */
export interface ObjectModel {
  /**
   * The message that describes the objects. Without one there is no protobuf form (406, and 415 for bodies) and no
   * strategic merge patch (415), and documents use `documented` instead.
   */
  readonly message: MessageType | undefined;
  /** Whether messages to clients and logs must not repeat the content of objects. */
  readonly confidential: boolean;
  /**
   * A parsed body as an object. It is a new object in canonical form that shares nothing with the body. Unknown fields
   * are reported to `options.unknown` and dropped.
   *
   * @throws `DecodeError` if a value does not fit its type
   */
  decode(value: JsonValue, options: DecodeOptions): JsonObject;
  /** A new copy of an object that code has changed, in canonical form. Equal objects have equal forms. */
  canonical(object: object, options?: CanonicalOptions): JsonObject;
  /** Sets defaults in place. A second call changes nothing. */
  defaults(object: ApiObject): void;
  /**
   * Adapts an object that was stored with an earlier schema to this schema (defaults, pruning), in place. Returns
   * whether it changed the object. Absent if a schema change cannot affect stored objects.
   */
  readonly renew?: ((object: ApiObject) => boolean) | undefined;
  /**
   * Removes, in place, the fields of an object from another version that this version does not have. It sets no
   * defaults, because the object got them in its own version. Returns whether it removed a field. Absent if nothing is
   * ever removed.
   */
  readonly fit?: ((object: ApiObject) => boolean) | undefined;
  /**
   * Schema errors of an object, before the rules of its kind. `old` is undefined on create. It may return a promise if
   * it takes so long that other requests must run in the meantime. The object must then not change until it resolves.
   * `warn` receives errors in parts that the change did not touch.
   */
  validate(
    object: ApiObject,
    old: ApiObject | undefined,
    warn?: (text: string) => void,
  ): MaybePromise<readonly FieldError[]>;
  /** The schema for server-side apply. It is made at the first use. */
  readonly applySchema: ObjectSchema;
  /** The documented schema; undefined if the message defines it. */
  readonly documented: DocumentedSchema | undefined;
}
