import type { Condition, ObjectStore, Write } from '../../storage-etcd/object-store.ts';
import type { FieldSet } from '../apply/field-set.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { FieldError } from '../errors/field-error.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Naming } from '../naming/naming.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type { ColumnType } from '../schema/types.ts';
import type { UserInfo } from './user-info.ts';

/** What a kind's rules may know about the write they are part of. */
export interface WriteContext {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly user: UserInfo | undefined;
  readonly dryRun: boolean;
  /** Whether containers may have all rights of the host (`--allow-privileged`); missing means yes. */
  readonly allowPrivileged?: boolean;
  /** The moment of the request, RFC 3339 with seconds. */
  readonly now: string;
  /** The group of the request's path, in its neutral form, and its version. */
  readonly group: string;
  readonly version: string;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
}

/** What an object claims or gives back together with being written: all or nothing, in one transaction. */
export interface Allocation {
  /** Compared beside the object's own revision; when one does not hold, the write starts again from `allocate`. */
  readonly conditions: readonly Condition[];
  readonly writes: readonly Write[];
}

/** What allocation may use. */
export interface AllocationContext extends WriteContext {
  readonly store: ObjectStore;
  /** Prefix of all keys, without a trailing slash: claims lie under a sub-prefix of their own. */
  readonly etcdPrefix: string;
}

/** A cell of a table row. */
export type Cell = string | number | boolean | null;

/** What cells may use besides their object. */
export interface TableContext {
  readonly naming: Naming;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Columns of a table, and the cells of an object in them. */
export interface TableForm {
  readonly columns: readonly ColumnType[];
  cells(object: ApiObject, now: number): Cell[];
}

/**
 * The text of a field that selectors see. Read off a method, as all other rules are: so the rules of a kind are rules of
 * some object without a cast.
 */
export type SelectableField<T extends ApiObject = ApiObject> = { read(object: T): string }['read'];

/** Rules for a view of an object that only writes part of it (`status`, `ephemeralcontainers`, `approval`). */
export interface SubresourceRules<T extends ApiObject = ApiObject> {
  /** Copies everything that this subresource may not change from `old` to `object`. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[];
}

/** How one served version of a kind differs from the stored one; both functions may change and return their argument. */
export interface VersionRules {
  /** Fills unset fields, in this version's form, before conversion. Must be idempotent. */
  defaults?(object: ApiObject, context: { naming: Naming; gates: FeatureGates }): void;
  toStorage?(object: ApiObject, context: { naming: Naming }): ApiObject;
  fromStorage?(object: ApiObject, context: { naming: Naming }): ApiObject;
}

/**
 * What a kind adds to the generic resource. Names, verbs, columns and the like come from `proto/`; everything here is
 * optional. Functions get objects in the storage version, except those in `versions`, and may change them in place.
 */
export interface KindRules<T extends ApiObject = ApiObject> {
  /** Neutral group ('' is core) and plural of the stored resource. */
  readonly group: string;
  readonly plural: string;
  readonly versions?: Record<string, VersionRules>;
  /** Group that 422 answers name, where clients know the kind by another one than its path's (neutral form). */
  readonly invalidGroup?: string;
  /** How names are checked: DNS subdomain unless said otherwise. Returns messages, empty when the name is fine. */
  validateName?(name: string, prefix?: boolean): string[];
  /** `validate` checks the metadata too, as kinds do whose groups disagree about it. */
  readonly validatesOwnMetadata?: boolean;
  /**
   * Whether a write to the object itself sets its status, too; `old` is undefined on create. Without it the status of a
   * kind that has the subresource starts empty and stays as it is.
   */
  takesStatus?(old: T | undefined, context: WriteContext): boolean;
  /** Fields that nobody owns through a view (`''` is the main resource), where it is not the usual ones. */
  readonly viewResets?: Readonly<Record<string, FieldSet>>;
  /** Fields that a write to `status` resets, so that nobody owns them by it. Default: `spec`. */
  readonly statusResets?: FieldSet;
  /** Metadata and `validate` are checked again on update, after `validateUpdate`: their errors are reported twice. */
  readonly revalidatesOnUpdate?: boolean;
  /** On update the kind's own rules do not look at what changed in the metadata: its errors are reported once less. */
  readonly ignoresMetadataChange?: boolean;
  prepareForCreate?(object: T, context: WriteContext): void;
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  validate?(object: T, context: WriteContext): FieldError[];
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[];
  /** Last touches on a valid object before it is stored. */
  canonicalize?(object: T, context: WriteContext): void;
  /** Warnings about deprecated values. `old` is undefined on create. */
  warnings?(object: T, old: T | undefined, context: WriteContext): string[];
  /**
   * Gives the object what only one object may hold (addresses, ports), after validation. `object` is undefined when the
   * object is removed, `old` when it is created. Changes `object` in place; throws a StatusError when nothing is left.
   * In a dry run the result is not written.
   */
  allocate?(object: T | undefined, old: T | undefined, context: AllocationContext): Promise<Allocation | undefined>;
  readonly subresources?: Record<string, SubresourceRules<T>>;
  /** Values of the labels that field selectors accept (see `proto/`), by label. */
  readonly selectableFields?: Record<string, SelectableField<T>>;
  /** Annotations in the storage version that stand for fields of other versions: forms that show only metadata omit them. */
  readonly fieldAnnotations?: readonly string[];
  /** The cells of a table row, one per column in `proto/`. Undefined: the default table. */
  cells?(object: T, context: TableContext): Cell[];
  /** Conditions of a table row that say the object has ended; undefined for none. */
  rowConditions?(object: T): JsonObject[] | undefined;
  /** Why an object may not be deleted: the message of a 403. Undefined when it may. */
  refusesDeletion?(object: T): string | undefined;
  /** Nothing depends on objects of this kind: they are deleted at once whatever propagation is asked for. */
  readonly ignoresPropagation?: boolean;
  /** Whether something other than metadata.finalizers keeps an object that is being deleted (a namespace's spec). */
  holdsDeletion?(object: T): boolean;
  /** Changes an object that its first delete marks as being deleted. */
  markDeleted?(object: T): void;
  /** Grace period in seconds for a delete; undefined means the kind has none. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /** Seconds after which the object expires; `options` are the server's. */
  ttlSeconds?(object: T): number | undefined;
  /** Warning of a DELETE that names no propagation policy, for kinds that orphan their dependents by default. */
  readonly orphanWarning?: string;
}
