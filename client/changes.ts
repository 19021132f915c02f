import type { JsonValue } from '#base/json/json-value.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';

/**
 * Requires that an object has only the fields that its type names. Stored objects may contain other fields, but a
 * change with another field does not compile.
 */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

/** Whether a type is the general object type, whose own fields are unknown. */
type IsDynamic<T extends ApiObject> = keyof Named<T> extends keyof Named<ApiObject> ? true : false;

/** A part of a value. Fields may be absent at any depth, and also in items of lists. */
export type Parts<T> = T extends readonly (infer Item)[]
  ? Parts<Item>[]
  : T extends object
    ? { [K in keyof T]?: Parts<T[K]> | undefined }
    : T;

/**
 * The body of a server-side apply: the object's name, and the fields that the manager owns. For known types the
 * compiler checks the fields. The server merges lists by the keys of their items.
 */
export type AppliedObject<T extends ApiObject> =
  IsDynamic<T> extends true
    ? T
    : Parts<Omit<Named<T>, 'metadata'>> & { metadata: Parts<ObjectMeta> & { name: string } };

/** A merge patch (RFC 7386): fields to set, and null for fields to remove. A list is replaced as a whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: MergePatch<T[K]> | null | undefined }
    : T;

/** Directives of a strategic patch: how the map or list item that contains them is merged. */
export interface MergeDirectives {
  $patch?: 'replace' | 'merge' | 'delete';
  $retainKeys?: string[];
  [order: `$setElementOrder/${string}`]: unknown;
  [removed: `$deleteFromPrimitiveList/${string}`]: unknown[];
}

/** A strategic merge patch: fields to set, and null for fields to remove. A list with keys is merged item by item. */
export type StrategicPatch<T> = T extends readonly (infer Item)[]
  ? StrategicPatch<Item>[]
  : T extends object
    ? { [K in keyof T]?: StrategicPatch<T[K]> | null | undefined } & MergeDirectives
    : T;

/** One step of a JSON patch (RFC 6902). Paths are JSON pointers (RFC 6901). */
export type JsonPatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** The form of a patch: RFC 6902, RFC 7386, or the merge rules of the type's lists. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** A patch of an object, in one of the forms of {@link PatchKind}. The compiler checks the fields of known types. */
export type PatchOf<T extends ApiObject, Type extends PatchType> =
  IsDynamic<T> extends true
    ? JsonValue | object
    : {
        json: readonly JsonPatchStep[];
        merge: MergePatch<Named<T>>;
        strategic: StrategicPatch<Named<T>>;
      }[Type];
