import type { JsonValue } from '#base/json/json-value.ts';
import type { Release } from '#base/release/release.ts';
import type { FieldBounds } from './field-bounds.ts';
import type { FieldOrigin } from './field-origin.ts';

/**
 * The facts of `proto/` about every built-in message, as the other parts of the server read them. A descriptor
 * describes the JSON form, the wire form and the rules (defaults, enums, list types, merge keys).
 */

/**
 * How a message looks in JSON. `object` is the usual case: an object of its fields.
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

/** A field, a list item or a map value: exactly one of `scalar` and `message` is set. */
export interface ValueType {
  readonly scalar?: ScalarName;
  readonly message?: MessageType;
}

export type ListType = 'atomic' | 'set' | 'map';

/** One field of a message. */
export interface FieldType extends ValueType {
  /** Name in JSON. */
  readonly name: string;
  /** Name on the wire (differs from `name` for a few fields). */
  readonly wireName: string;
  /** Wire number; undefined for fields that exist in JSON only. */
  readonly number: number | undefined;
  readonly repeated: boolean;
  /** A map with string keys; the value type is in `scalar` or `message`. */
  readonly map: boolean;
  /** An absent value differs from zero. */
  readonly pointer: boolean;
  /** Left out of JSON when zero. Without it (and without `pointer`) the zero value is written. */
  readonly omitempty: boolean;
  /** An empty list differs from a missing one for defaulting and validation. */
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
  /** As published: int32, int64, double, byte, date-time, quantity, int-or-string, micro-time. */
  readonly format: string | undefined;
  readonly listType: ListType | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  /** Maps and structs: `atomic` is owned and replaced as a whole. */
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly patchStrategy: readonly string[];
  readonly patchMergeKey: string | undefined;
  readonly deprecated: boolean;
  /** The limits that the server enforces; undefined if `proto/` declares none. */
  readonly bounds?: FieldBounds | undefined;
  /** The releases that have the field, and its writer. Undefined if all releases have it and any client writes it. */
  readonly origin?: FieldOrigin | undefined;
}

/** A group, version and kind; the group in its neutral short form ('' is core, 'apps', 'rbac.authorization'). */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One message of `proto/`. */
export interface MessageType {
  /** Full name, for example `core.v1.Pod`. */
  readonly name: string;
  /** Last part of the name: `Pod`. */
  readonly shortName: string;
  /** Package: `core.v1`. */
  readonly package: string;
  readonly jsonForm: JsonForm;
  /** The JSON form also has `apiVersion` and `kind`. */
  readonly typeMeta: boolean;
  /** Fields as on the wire, in ascending number (fields of JSON only last). */
  readonly fields: readonly FieldType[];
  /** Fields as in JSON, inline messages unfolded, in canonical order: that of their declaration. */
  readonly jsonFields: readonly FieldType[];
  /** `jsonFields` by JSON name. */
  readonly byJsonName: ReadonlyMap<string, FieldType>;
  /** By JSON name: known fields whose values are dropped, because their feature is off. */
  readonly off: ReadonlyMap<string, FieldType>;
  /** Whether structs of this type are owned as a whole in server-side apply. */
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** Whether the schema is published in OpenAPI. Its name there is kept without the reversed domain in front
   * (`api.core.v1.Pod`); `openapiName()` in openapi-name.ts gives the full name. */
  readonly published: boolean;
  readonly openapiName: string;
  readonly gvks: readonly GroupVersionKind[];
  readonly unions: readonly unknown[];
  /** Messages to clients and logs do not repeat its content. */
  readonly confidential?: boolean;
  /** The REST resource whose objects are of this message, if any. */
  readonly resource: ResourceType | undefined;
  /** The first release that has the message, and the first that has its version at all. */
  readonly since?: string | undefined;
  readonly versionSince?: string | undefined;
}

/** A column of a table answer; `priority` above 0 shows only in the wide form. */
export interface ColumnType {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
  /** The meaning of the column, for people. */
  readonly description?: string;
}

/** A subresource as discovery shows it. */
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
  /** 1 from the start, never raised. */
  | 'created'
  /** Unset on create; counts only changes of a volume driver's mount settings, and no other changes of its spec. */
  | 'mount-settings';

/** A REST resource in one group version, as far as its paths, verbs and tables go. */
export interface ResourceShape {
  /** Short form. */
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
   * The indexes of the cells that the columns show, of all cells that the rules give; undefined if they show all cells
   * in their order.
   */
  readonly cells?: readonly number[] | undefined;
  /** Accepted field selector labels, in addition to metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Field selectors may name metadata.namespace; true when left out. */
  readonly namespaceSelectable?: boolean;
  /** Stored objects: the resource's storage identity, `core/events`, and the version they are stored in. Undefined for
   * virtual resources (reviews, bindings). Two resources may share one storage identity (both event groups). */
  readonly storage: { readonly group: string; readonly plural: string; readonly version: string } | undefined;
  readonly allowCreateOnUpdate: boolean;
  readonly unconditionalUpdate: boolean;
  /** DELETE answers the deleted object rather than a Status. */
  readonly deleteAnswersObject: boolean;
  readonly orphanByDefault: boolean;
  readonly generation: GenerationRule;
  /** Text of the Warning header of a deprecated version, without the code and agent; undefined when not deprecated. */
  readonly deprecation: string | undefined;
  readonly removedRelease: string | undefined;
}

/** The facts of `proto/` about a REST resource in one group version. */
export interface ResourceType extends ResourceShape {
  readonly message: MessageType;
  /** Whether the release has it. Otherwise it is only read, because objects may be stored in it. */
  readonly served: boolean;
}

/** One group version that is served or can be served. */
export interface GroupVersionType {
  readonly group: string;
  readonly version: string;
  readonly enabledByDefault: boolean;
  /** Priorities of the API service that is registered for it; missing for the group of API services itself. */
  readonly priority?: { readonly group: number; readonly version: number };
  readonly resources: readonly ResourceType[];
}

/** The content of `proto/` for one release. */
export interface Schema {
  readonly release: Release;
  /**
   * The names that rules and handlers may refer to, of this and of other releases: see `everRegistered` in
   * of-release.ts.
   */
  readonly everRegistered: ReadonlySet<string>;
  /**
   * By full name (`core.v1.Pod`).
   *
   * @throws on unknown names: a programming error.
   */
  message(name: string): MessageType;
  readonly messages: ReadonlyMap<string, MessageType>;
  /** The group versions in discovery order: groups in their order, and versions by preference. */
  readonly groupVersions: readonly GroupVersionType[];
  kind(group: string, version: string, kind: string): MessageType | undefined;
}
