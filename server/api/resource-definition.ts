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
  /** Whether containers may have all rights of the host (`--allow-privileged`). Missing means yes. */
  readonly allowPrivileged?: boolean;
  /** The moment of the request, as RFC 3339 in seconds. */
  readonly now: string;
  /** The group of the request's path, in its neutral form, and its version. */
  readonly group: string;
  readonly version: string;
  /** The labels of the object's namespace. Absent or undefined if there is no namespace. */
  namespaceLabels?(): Readonly<Record<string, string>> | undefined;
  /** Admission records here the facts on which the write depends. Missing if admission does not run. */
  readonly rests?: WriteRests | undefined;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
}

/**
 * The names and numbers that an object claims or releases in the same transaction as its write. Either all succeed or
 * none.
 */
export interface Allocation {
  /**
   * Conditions that are compared together with the object's own revision. If one does not hold, the write starts again
   * from `allocate`.
   */
  readonly conditions: readonly Condition[];
  readonly writes: readonly Write[];
}

/** The inputs of an allocation. */
export interface AllocationContext extends WriteContext {
  readonly store: ObjectStore;
  /** The prefix of all keys, without a slash at the end. Claims have a separate prefix below it. */
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
 * The text of a field for selectors. It is declared as a method, like all other rules. So the rules of a kind can be
 * used as rules of any object without a cast.
 */
export type SelectableField<T extends ApiObject = ApiObject> = { read(object: T): string }['read'];

/**
 * Rules for a view of an object through which clients write only a part of it (`status`, `ephemeralcontainers`,
 * `approval`).
 */
export interface SubresourceRules<T extends ApiObject = ApiObject> {
  /** Copies everything that this subresource may not change from `old` to `object`. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  validateUpdate?(object: T, old: T, context: WriteContext): FieldError[];
  /** Like the member of {@link KindRules}, for the subresource. The status of network policies uses it. */
  readonly ignoresMetadataChange?: boolean;
}

/**
 * The special rules of a kind. Names, verbs, columns and the like come from `proto/`. All members are optional.
 * Functions get objects in the storage version, except those in `versions`. They may change the objects in place.
 */
export interface KindRules<T extends ApiObject = ApiObject> {
  /** The neutral group ('' is core) and the plural of the stored resource, such as `''`, `pods`. */
  readonly group: string;
  readonly plural: string;
  /** The differences of a version, by its name: `v1`, or `events/v1` if its group differs from the stored one's. */
  readonly versions?: KindVersions;
  /**
   * The group in 422 answers (neutral form), if clients know the kind by another group than that of its path:
   * `extensions` for ingresses.
   */
  readonly invalidGroup?: string;
  /**
   * Checks names. By default a name must be a DNS subdomain. For namespaces it is a DNS label. Returns messages, or
   * none if the name is valid.
   */
  validateName?(name: string, prefix?: boolean, context?: Pick<WriteContext, 'gates'>): string[];
  /**
   * Whether `validate` also checks the metadata. This is for events, whose two groups have different rules for
   * metadata.
   */
  readonly validatesOwnMetadata?: boolean;
  /**
   * Whether a write to the object itself also sets its status. `old` is undefined on create. Without this, the status
   * of a kind with that subresource is empty at first and does not change. Nodes register with their status.
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
   * Whether an update checks the metadata and `validate` again after `validateUpdate`. Clients then see these errors
   * twice. This is so for ingress classes.
   */
  readonly revalidatesOnUpdate?: boolean;
  /**
   * Whether the kind's own rules ignore changes of the metadata in an update. Clients then see such an error once and
   * not twice. This is so for endpoint slices.
   */
  readonly ignoresMetadataChange?: boolean;
  /** Whether a finalizer without a domain may be an unknown one, as in leases. */
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
  /** The last changes of a valid object before it is stored. For example, a namespace gets its own name as a label. */
  canonicalize?(object: T, context: WriteContext): void;
  /** Warnings about deprecated values, such as labels of nodes with new names. `old` is undefined on create. */
  warnings?(object: T, old: T | undefined, context: WriteContext): string[];
  /**
   * Allocates values that only one object may have, such as addresses and ports, after validation. `object` is
   * undefined if the object is removed, and `old` if it is created. It changes `object` in place. In a dry run, the
   * result is not written.
   *
   * @throws StatusError if no value is free
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
  /** The cells of a table row, one for each column in `proto/`. Undefined means the default table. */
  cells?(object: T, context: TableContext): Cell[];
  /**
   * Conditions of a table row which say that the object has ended, such as a pod that succeeded. Undefined for none.
   */
  rowConditions?(object: T): JsonObject[] | undefined;
  /**
   * Why an object must not be deleted (a priority class of the system), as the message of a 403. Undefined if it may be
   * deleted.
   */
  refusesDeletion?(object: T): string | undefined;
  /**
   * Whether objects of this kind, such as events, never have dependents. If so, they are deleted at once with any
   * propagation.
   */
  readonly ignoresPropagation?: boolean;
  /**
   * Whether another field than metadata.finalizers keeps an object that is being deleted. For a namespace, this is its
   * spec.
   */
  holdsDeletion?(object: T): boolean;
  /**
   * Changes an object when its first delete marks it as being deleted. For example, a namespace then becomes
   * `Terminating`.
   */
  markDeleted?(object: T): void;
  /**
   * The grace period of a delete in seconds. For a pod that sets none it is 30. Undefined means that the kind has none.
   */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /**
   * The number of seconds after which the object expires: an hour for events, unless `--event-ttl` sets another time.
   */
  ttlSeconds?(object: T): number | undefined;
  /**
   * The warning of a DELETE without a propagation policy, for kinds that orphan their dependents by default, such as
   * jobs.
   */
  readonly orphanWarning?: string;
}
