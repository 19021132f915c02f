import type { FieldError } from '#base/errors/field-error.ts';
import type { JsonNumber, JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { FieldSet } from '#schema/apply/field-set.ts';
import type { KindVersions } from '#schema/conversion/version-rules.ts';
import type { ColumnType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Condition, ObjectStore, Write } from '#storage/object-store.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { UserInfo } from './user-info.ts';
import type { WriteRests } from './write-rests.ts';

/** The facts about a write that a kind's rules may use. */
export interface WriteContext {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  /** The release, for rules that a release has changed without a feature gate. */
  readonly release: Release;
  readonly user: UserInfo | undefined;
  readonly dryRun: boolean;
  /** Whether containers may have all rights of the host (`--allow-privileged`); missing means yes. */
  readonly allowPrivileged?: boolean;
  /** The moment of the request, RFC 3339 with seconds. */
  readonly now: string;
  /** The group of the request's path, in its neutral form, and its version. */
  readonly group: string;
  readonly version: string;
  /** The labels of the object's namespace; absent or undefined if it has none. */
  namespaceLabels?(): Readonly<Record<string, string>> | undefined;
  /** Admission records here the facts that the write depends on; missing if admission does not run. */
  readonly rests?: WriteRests | undefined;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
}

/** The names and numbers that an object claims or releases in the same transaction as its write: all or nothing. */
export interface Allocation {
  /** Compared together with the object's own revision. If one does not hold, the write starts again from `allocate`. */
  readonly conditions: readonly Condition[];
  readonly writes: readonly Write[];
}

/** The inputs of allocation. */
export interface AllocationContext extends WriteContext {
  readonly store: ObjectStore;
  /** The prefix of all keys, without a trailing slash; claims have their own prefix below it. */
  readonly etcdPrefix: string;
}

/** A cell of a table row. */
export type Cell = string | number | JsonNumber | boolean | null;

/** The inputs of cells besides their object. */
export interface TableContext {
  readonly naming: Naming;
  /** The release, for cells that a release writes in another form. */
  readonly release: Release;
  /** The current time in milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Columns of a table, and the cells of an object in them. */
export interface TableForm {
  readonly columns: readonly ColumnType[];
  cells(object: ApiObject, now: number): Cell[];
}

/**
 * The text of a field that selectors see. Read off a method, as all other rules are: so the rules of a kind are rules
 * of some object without a cast.
 */
export type SelectableField<T extends ApiObject = ApiObject> = { read(object: T): string }['read'];

/** Rules for a view of an object that only writes part of it (`status`, `ephemeralcontainers`, `approval`). */
export interface SubresourceRules<T extends ApiObject = ApiObject> {
  /** Copies everything that this subresource may not change from `old` to `object`. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[];
  /** Like the member of {@link KindRules}, for the subresource: the status of network policies uses it. */
  readonly ignoresMetadataChange?: boolean;
}

/**
 * The special rules of a kind. Names, verbs, columns and the like come from `proto/`; everything here is optional.
 * Functions get objects in the storage version, except those in `versions`, and may change them in place.
 */
export interface KindRules<T extends ApiObject = ApiObject> {
  /** Neutral group ('' is core) and plural of the stored resource: `''`, `pods`. */
  readonly group: string;
  readonly plural: string;
  /** The differences of a version, by its name: `v1`, or `events/v1` if its group differs from the stored one's. */
  readonly versions?: KindVersions;
  /**
   * Group that 422 answers name (neutral form), where clients know the kind by another one than its path's:
   * `extensions` for ingresses.
   */
  readonly invalidGroup?: string;
  /**
   * How names are checked: DNS subdomain unless said otherwise, DNS label for namespaces. Returns messages, empty when
   * the name is fine.
   */
  validateName?(name: string, prefix?: boolean, context?: Pick<WriteContext, 'gates'>): string[];
  /** Whether `validate` also checks the metadata: for events, whose two groups have different rules for metadata. */
  readonly validatesOwnMetadata?: boolean;
  /**
   * Whether a write to the object itself sets its status, too; `old` is undefined on create. Without it the status of a
   * kind that has the subresource starts empty and stays unchanged. Nodes register with theirs.
   */
  takesStatus?(old: T | undefined, context: WriteContext): boolean;
  /**
   * Fields that no manager owns through a view (`''` is the main resource), if they differ from the usual ones.
   * Example: `status` through the main resource of certificate signing requests, and all of it but the certificate
   * through `approval`.
   */
  readonly viewResets?: Readonly<Record<string, FieldSet>>;
  /**
   * Fields that a write to `status` resets, so that its manager does not own them: `spec`, and for deployments the
   * labels.
   */
  readonly statusResets?: FieldSet;
  /**
   * On update metadata and `validate` are checked once more after `validateUpdate`, so that clients see their errors
   * twice: ingress classes.
   */
  readonly revalidatesOnUpdate?: boolean;
  /**
   * On update the kind's own rules ignore changes of the metadata, so that clients see such an error once and not
   * twice: endpoint slices.
   */
  readonly ignoresMetadataChange?: boolean;
  /** Present if finalizers of one word may be unknown ones, as in leases. */
  readonly anyFinalizers?: boolean;
  /** Sets and removes fields that clients cannot choose, before validation. For example, a new pod is pending. */
  prepareForCreate?(object: T, context: WriteContext): void;
  /** Like `prepareForCreate`, for a change. It copies fields that clients cannot change from `old`. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  /**
   * Errors of an object, for example a container without an image. `old` is the previous object, if this is called for
   * a change.
   */
  validate?(object: T, context: WriteContext, old?: T): FieldError[];
  /** Errors of a change, for example another node for a pod that has one. */
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[];
  /**
   * Replaces `validate` and (if `old` is given) `validateUpdate` for kinds whose checks may take long, so that other
   * requests run in the meantime. Definitions need it, because their schemas contain patterns and rules.
   */
  validateInTurns?(object: T, old: T | undefined, context: WriteContext): MaybePromise<FieldError[]>;
  /** Last touches on a valid object before it is stored: a namespace gets its own name as a label. */
  canonicalize?(object: T, context: WriteContext): void;
  /** Warnings about deprecated values, such as labels of nodes with new names. `old` is undefined on create. */
  warnings?(object: T, old: T | undefined, context: WriteContext): string[];
  /**
   * Allocates values that only one object may have, such as addresses and ports, after validation. `object` is
   * undefined if the object is removed, and `old` if it is created. It changes `object` in place. In a dry run, the
   * result is not written.
   *
   * @throws StatusError if nothing is free
   */
  allocate?(object: T | undefined, old: T | undefined, context: AllocationContext): Promise<Allocation | undefined>;
  /** The rules for writes through a view of the object: `status` of a pod. */
  readonly subresources?: Record<string, SubresourceRules<T>>;
  /** Values of the labels that field selectors accept (see `proto/`), by label: `spec.nodeName` of pods. */
  readonly selectableFields?: Record<string, SelectableField<T>>;
  /**
   * Annotations in the storage version that represent fields of other versions, such as the revision for a rollback of
   * a deployment. Metadata-only forms leave them out.
   */
  readonly fieldAnnotations?: readonly string[];
  /** The cells of a table row, one per column in `proto/`. Undefined: the default table. */
  cells?(object: T, context: TableContext): Cell[];
  /** Conditions of a table row that say the object has ended, such as a pod that succeeded; undefined for none. */
  rowConditions?(object: T): JsonObject[] | undefined;
  /** Why an object may not be deleted (a priority class of the system): the message of a 403. Undefined when it may. */
  refusesDeletion?(object: T): string | undefined;
  /**
   * Whether objects of this kind, such as events, never have dependents: they are deleted at once with any propagation.
   */
  readonly ignoresPropagation?: boolean;
  /** Whether something other than metadata.finalizers keeps an object that is being deleted (a namespace's spec). */
  holdsDeletion?(object: T): boolean;
  /** Changes an object that its first delete marks as being deleted: a namespace then becomes `Terminating`. */
  markDeleted?(object: T): void;
  /** Grace period of a delete in seconds: 30 for pods that ask for no other; undefined means the kind has none. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /**
   * The number of seconds after which the object expires: an hour for events, unless `--event-ttl` sets another time.
   */
  ttlSeconds?(object: T): number | undefined;
  /** Warning of a DELETE that names no propagation policy, for kinds that orphan their dependents by default: jobs. */
  readonly orphanWarning?: string;
}
