import type { JsonValue } from '#base/json/json-value.ts';
import type { Release } from '#base/release/release.ts';
import type { FieldBounds } from './field-bounds.ts';
import type { FieldOrigin } from './field-origin.ts';

/**
 * The facts of `proto/` about every built-in message, for the other parts of the server. A descriptor describes the
 * JSON form, the wire form and the rules (defaults, enums, list types, merge keys).
 */

/**
 * The form of a message in JSON. `object` is the usual form: an object with its fields.
 * - `quantity` string or number; `int-or-string` int32 or string; `time` RFC 3339 with seconds; `micro-time` with six
 *   fraction digits; `duration` a text such as `1m0s`; `any` any JSON value; `raw-object` any JSON object or null;
 *   `items` the list in field `items`; `items-map`-like wrappers and `schema-or-*` unions belong to custom resources.
 */
export type JsonForm =
  | 'object'
  | 'quantity'
  | 'int-or-string'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'any'
  | 'raw-object'
  | 'fields-v1'
  | 'items'
  | 'schema-or-array'
  | 'schema-or-bool'
  | 'schema-or-strings'
  | 'wire-only';

/** The type of a single value: a scalar by its name, or a message. */
export type ScalarName = 'string' | 'bool' | 'int32' | 'int64' | 'double' | 'bytes' | 'any';

/** The type of a field, a list item or a map value. Exactly one of `scalar` and `message` is set. */
export interface ValueType {
  readonly scalar?: ScalarName;
  readonly message?: MessageType;
}

export type ListType = 'atomic' | 'set' | 'map';

/** One field of a message. */
export interface FieldType extends ValueType {
  /** The name in JSON. */
  readonly name: string;
  /** The name on the wire. It differs from `name` for a few fields. */
  readonly wireName: string;
  /** The number on the wire; undefined for fields that exist only in JSON. */
  readonly number: number | undefined;
  readonly repeated: boolean;
  /** Whether it is a map with string keys. The value type is in `scalar` or `message`. */
  readonly map: boolean;
  /** Whether an absent value differs from zero. */
  readonly pointer: boolean;
  /** Whether a zero value is left out of JSON. Without this and without `pointer`, the zero value is written. */
  readonly omitempty: boolean;
  /** Whether an empty list differs from a missing one for defaults and validation. */
  readonly emptyDiffers?: boolean;
  /** Whether an empty list in a request differs from a missing one for admission. */
  readonly emptyInRequests?: boolean;
  /** Whether the fields of this message are fields of the parent in JSON. On the wire it is a message. */
  readonly inline: boolean;
  readonly required: boolean;
  /** The published default. */
  readonly default: unknown;
  /** The default of the field (`protocol: TCP`); undefined if it has none. */
  readonly defaultsTo?: JsonValue | undefined;
  readonly enum: readonly string[] | undefined;
  readonly enumPublished: boolean;
  /** The published format: int32, int64, double, byte, date-time, quantity, int-or-string, micro-time. */
  readonly format: string | undefined;
  readonly listType: ListType | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  /** The type of a map or struct. `atomic` means that it is owned and replaced as a whole. */
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly patchStrategy: readonly string[];
  readonly patchMergeKey: string | undefined;
  readonly deprecated: boolean;
  /** The limits that the server enforces; undefined if `proto/` declares none. */
  readonly bounds?: FieldBounds | undefined;
  /** The releases that have the field, and its writer. Undefined if all releases have it and any client writes it. */
  readonly origin?: FieldOrigin | undefined;
}

/** A group, version and kind. The group is in its neutral short form ('' is core, 'apps', 'rbac.authorization'). */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One message of `proto/`. */
export interface MessageType {
  /** The full name, for example `core.v1.Pod`. */
  readonly name: string;
  /** The last part of the name: `Pod`. */
  readonly shortName: string;
  /** The package: `core.v1`. */
  readonly package: string;
  readonly jsonForm: JsonForm;
  /** Whether the JSON form also has `apiVersion` and `kind`. */
  readonly typeMeta: boolean;
  /** The fields on the wire, in the order of their numbers. Fields that exist only in JSON are last. */
  readonly fields: readonly FieldType[];
  /**
   * The fields in JSON, with the fields of inline messages, in canonical order. This is the order of their declaration.
   */
  readonly jsonFields: readonly FieldType[];
  /** `jsonFields` by JSON name. */
  readonly byJsonName: ReadonlyMap<string, FieldType>;
  /** Known fields whose values are dropped because their feature is off, by JSON name. */
  readonly off: ReadonlyMap<string, FieldType>;
  /** Whether structs of this type are owned as a whole in server-side apply. */
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** Whether the schema is published in OpenAPI. Its name there is kept without the reversed domain in front
   * (`api.core.v1.Pod`); `openapiName()` in openapi-name.ts gives the full name. */
  readonly published: boolean;
  readonly openapiName: string;
  readonly gvks: readonly GroupVersionKind[];
  readonly unions: readonly unknown[];
  /** Whether messages to clients and logs must not repeat its content. */
  readonly confidential?: boolean;
  /** The REST resource whose objects have this message, if there is one. */
  readonly resource: ResourceType | undefined;
  /** The first release that has the message, and the first release that has its version. */
  readonly since?: string | undefined;
  readonly versionSince?: string | undefined;
}

/** A column of a table answer. With a `priority` above 0 it is shown only in the wide form. */
export interface ColumnType {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
  /** The meaning of the column, for people. */
  readonly description?: string;
}

/** A subresource in discovery. */
export interface SubresourceType {
  readonly name: string;
  readonly kind: string;
  /** Group and version of the subresource's kind if they differ from the parent's. */
  readonly group: string | undefined;
  readonly version: string | undefined;
  readonly verbs: readonly string[];
}

/** The changes of an object that raise `metadata.generation`: changes of the spec, of spec or annotations (workloads),
 * of everything except the metadata (`content`), of `content` or labels (`content-and-labels`), or none (the kind has
 * no generation).
 * */
export type GenerationRule =
  | 'none'
  | 'spec'
  | 'spec-and-annotations'
  | 'content'
  | 'content-and-labels'
  /** Like `content`, and also for changes of the status. */
  | 'content-and-status'
  /** Set to 1 at the creation and never raised. */
  | 'created'
  /**
   * Unset at the creation. It counts only changes of a volume driver's mount settings, and no other changes of its
   * spec.
   */
  | 'mount-settings';

/** The description of a REST resource in one group version: its paths, verbs and tables. */
export interface ResourceShape {
  /** The group in its short form. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** The kind of lists whose items state their own kind. By default it is the kind of the items followed by `List`. */
  readonly listKind?: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceType[];
  readonly columns: readonly ColumnType[];
  /**
   * The indexes of the shown cells among all cells that the rules give. Undefined if the columns show all cells in
   * their order.
   */
  readonly cells?: readonly number[] | undefined;
  /** Accepted field selector labels besides metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Whether field selectors may name metadata.namespace; true if it is left out. */
  readonly namespaceSelectable?: boolean;
  /**
   * The place of stored objects: the resource's storage identity, such as `core/events`, and the version in which they
   * are stored. Undefined for virtual resources (reviews, bindings). Two resources may share one storage identity (both
   * event groups).
   */
  readonly storage: { readonly group: string; readonly plural: string; readonly version: string } | undefined;
  readonly allowCreateOnUpdate: boolean;
  readonly unconditionalUpdate: boolean;
  /** Whether DELETE answers with the deleted object and not with a Status. */
  readonly deleteAnswersObject: boolean;
  readonly orphanByDefault: boolean;
  readonly generation: GenerationRule;
  /**
   * The text of the Warning header of a deprecated version, without the code and agent. Undefined if it is not
   * deprecated.
   */
  readonly deprecation: string | undefined;
  readonly removedRelease: string | undefined;
}

/** The facts of `proto/` about a REST resource in one group version. */
export interface ResourceType extends ResourceShape {
  readonly message: MessageType;
  /** Whether the release has it. If not, it can only be read, because objects may be stored in it. */
  readonly served: boolean;
}

/** One group version that is served or can be served. */
export interface GroupVersionType {
  readonly group: string;
  readonly version: string;
  readonly enabledByDefault: boolean;
  /** Priorities of the API service that is registered for it. Missing for the group of API services itself. */
  readonly priority?: { readonly group: number; readonly version: number };
  readonly resources: readonly ResourceType[];
}

/** The content of `proto/` for one release. */
export interface Schema {
  readonly release: Release;
  /**
   * The names to which rules and handlers may refer, of this and of other releases: see `everRegistered` in
   * of-release.ts.
   */
  readonly everRegistered: ReadonlySet<string>;
  /**
   * A message by its full name, such as `core.v1.Pod`.
   *
   * @throws Error for an unknown name, which is a programming error
   */
  message(name: string): MessageType;
  readonly messages: ReadonlyMap<string, MessageType>;
  /** The group versions in discovery order: groups in their order, and versions by preference. */
  readonly groupVersions: readonly GroupVersionType[];
  kind(group: string, version: string, kind: string): MessageType | undefined;
}
