import { firstErrors } from '#base/errors/first-errors.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { SubresourceRules, WriteContext } from '../api/resource-definition.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { WriteOptions } from '../api/write-options.ts';
import type { Registry } from '../resources/registry.ts';
import { bumpGeneration } from './generation.ts';
import { isLarge } from './is-large.ts';
import { keepMetadata } from './object-meta.ts';
import { mergeRepeatedOwners } from './repeated-owners.ts';
import type { Counts, Outcome } from './update-loop.ts';
import { metadataUpdateErrors, refuse, validateUpdate } from './validate.ts';

/** The inputs for the steps of a changed object, from the merge to the store. */
export interface UpdateRequest {
  readonly registry: Registry;
  readonly served: StoredServedResource;
  readonly context: RequestContext;
  readonly write: WriteContext;
  readonly subresource: string;
  readonly options: JsonObject;
  readonly dryRun: boolean;
  /** Whether the change follows from another object that was itself admitted (a Binding). Admission then skips it. */
  readonly admitted?: true;
}

/** The attributes of a request that {@link prepareUpdate} needs. */
export function updateRequest(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
  options: WriteOptions,
  write: WriteContext,
): UpdateRequest {
  const { subresource } = context.info;
  return { registry, served, context, write, subresource, options: { kind: options.kind }, dryRun: options.dryRun };
}

/**
 * The views through which a client writes the object itself. Only their clients get warnings. A client that writes
 * another subresource gets none.
 */
const WARNED_VIEWS = ['', 'scale'];

/**
 * The view of a subresource without rules. `status` writes the status, and other subresources write the whole object.
 */
function defaultRules(subresource: string): SubresourceRules {
  if (subresource !== 'status') return {};
  return {
    prepareForUpdate(object, old) {
      for (const field of Object.keys(object)) if (field !== 'status' && field !== 'metadata') delete object[field];
      for (const [field, value] of Object.entries(old)) {
        if (field !== 'status' && field !== 'metadata') object[field] = cloneJson(value);
      }
    },
  };
}

/** The object in its stored form: `object` itself, changed in place, or its canonical form. */
function prepareObject(request: UpdateRequest, object: ApiObject, old: ApiObject): ApiObject {
  const { served, subresource, write } = request;
  const { rules } = served.stored;
  keepMetadata(object, old);
  if (subresource !== '') {
    if (old.metadata.generation === undefined) delete object.metadata.generation;
    else object.metadata.generation = old.metadata.generation;
    const view = rules.subresources?.[subresource];
    (view?.prepareForUpdate ?? defaultRules(subresource).prepareForUpdate)?.(object, old, write);
    if (subresource !== 'status') bump(request, object, old);
    return object;
  }
  const hasStatus = served.type.subresources.some((sub) => sub.name === 'status');
  if (hasStatus && rules.takesStatus?.(old, write) !== true) {
    if (old['status'] === undefined) delete object['status'];
    else object['status'] = cloneJson(old['status']);
  }
  rules.prepareForUpdate?.(object, old, write);
  const canonical = asObject(served.reading.model.canonical(object, { shares: true }));
  bump(request, canonical, old);
  return canonical;
}

function bump(request: UpdateRequest, object: ApiObject, old: ApiObject): void {
  bumpGeneration(request.served.type.generation, object, old);
}

async function validate(request: UpdateRequest, object: ApiObject, old: ApiObject): Promise<void> {
  const { served, subresource, write } = request;
  if (subresource === '') return validateUpdate(served, object, old, write);
  const view = served.stored.rules.subresources?.[subresource];
  const found = firstErrors(() => served.model.validate(object, old, write.warn));
  const content = isPromise(found) ? await found : found;
  const own = firstErrors(() => view?.validateUpdate?.(object, old, write) ?? []);
  const metadata = firstErrors(() => metadataUpdateErrors(served, object, old, write, view));
  const errors = [...metadata, ...content, ...own];
  refuse(served, object, errors, write);
}

/** Whether an object that is being deleted has no finalizer and no grace period left. */
function released(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if ((deletionTimestamp ?? null) === null || (finalizers?.length ?? 0) > 0) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

/**
 * Passes a merged object through mutating admission, preparation, validation and validating admission. The object is in
 * the storage version with defaults, and may be changed in place. The result is a store, or a removal because the last
 * finalizer is gone. `counts` is for a write that does not change the object.
 */
export async function prepareUpdate(
  request: UpdateRequest,
  merged: ApiObject,
  old: ApiObject,
  counts?: Counts,
): Promise<Outcome> {
  const { registry, served, context, write, subresource } = request;
  const { rules } = served.stored;
  const admission = {
    operation: 'UPDATE' as const,
    served,
    subresource,
    namespace: context.info.namespace,
    name: context.info.name,
    object: merged,
    oldObject: old,
    options: request.options,
    dryRun: request.dryRun,
    context,
    rests: write.rests,
  };
  await registry.guard?.write({ served, context, object: merged, old });
  if (isLarge(context)) await turnIfDue();
  if (request.admitted !== true) await registry.admission.mutate(admission);
  mergeRepeatedOwners(admission.object, context, true);
  if (isLarge(context)) await turnIfDue();
  const object = prepareObject(request, admission.object, old);
  admission.object = object;
  if (isLarge(context)) await turnIfDue();
  await validate(request, object, old);
  if (isLarge(context)) await turnIfDue();
  if (WARNED_VIEWS.includes(subresource)) {
    for (const warning of rules.warnings?.(object, old, write) ?? []) context.warnings.add(warning);
  }
  rules.canonicalize?.(object, write);
  if (isLarge(context)) await turnIfDue();
  if (request.admitted !== true) await registry.admission.validate(admission);
  const heldElsewhere = rules.holdsDeletion?.(object) === true;
  if (released(object) && !heldElsewhere) return { kind: 'remove', object };
  return { kind: 'write', object, ...(counts === undefined ? {} : { counts }) };
}
