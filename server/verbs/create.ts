import {
  alreadyExists,
  badRequest,
  generatedNameTaken,
  type StatusError,
  serviceUnavailable,
} from '#base/errors/status-error.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import { isSealed } from '#program/encryption/sealed-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Condition, Write } from '#storage/object-store.ts';
import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { conditionsOf, requireHolding } from '../api/write-condition.ts';
import { type WriteOptions, writeOptions } from '../api/write-options.ts';
import { toWorking } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { restsOf } from './commit.ts';
import { decodeBody } from './decode-body.ts';
import { expectedOf } from './expected.ts';
import { keyOf } from './get.ts';
import { isLarge } from './is-large.ts';
import { trackWrite } from './managed-fields.ts';
import { initMetadata, matchNamespace, wipeSystemFields } from './object-meta.ts';
import { mergeRepeatedOwners } from './repeated-owners.ts';
import { validateCreate } from './validate.ts';
import { writeContext } from './write-context.ts';
import { committedContent, formBytes, ownWrite, storedFormOf, writtenContent } from './written.ts';

/**
 * How often the loop tries another generated name if a name is in use, and how often it reads a condition again after a
 * change.
 */
const ATTEMPTS = 8;

function dropStatus(served: StoredServedResource, object: ApiObject, write: WriteContext): void {
  const stored = served.stored;
  const hasStatus = served.type.subresources.some((sub) => sub.name === 'status');
  if (hasStatus && stored.rules.takesStatus?.(undefined, write) !== true) delete object['status'];
}

/** An object that is ready to be stored, as bytes. The object itself is not kept in memory while etcd writes. */
interface NewObject {
  readonly name: string;
  /** Whether its name was generated. If that name exists, another one is generated. */
  readonly generated: boolean;
  /** Whether the client set a prefix for generated names, even together with a name. */
  readonly prefixed: boolean;
  readonly key: string;
  readonly value: Buffer;
  readonly conditions: readonly Condition[];
  readonly writes: readonly Write[];
}

/** The stages of a create, from the object with defaults (served version; changed in place) to the stored object. */
async function prepare(
  registry: Registry,
  served: StoredServedResource,
  sent: ApiObject,
  context: RequestContext,
  options: WriteOptions,
  write: WriteContext,
): Promise<NewObject> {
  const stored = served.stored;
  const { rules } = stored;
  const { namespace } = context.info;
  const { name: given, generateName } = sent.metadata;
  const request = {
    operation: 'CREATE' as const,
    served,
    subresource: '',
    namespace,
    name: given ?? '',
    object: toWorking(served, sent),
    oldObject: undefined,
    options: { kind: options.kind },
    dryRun: options.dryRun,
    context,
    conditions: [] as Condition[],
    rests: write.rests,
  };
  await registry.guard?.write({ served, context, object: request.object, old: undefined });
  await registry.admission.mutate(request);
  const { object } = request;
  mergeRepeatedOwners(object, context, true);
  // Admission may have changed any part.
  matchNamespace(served, object, namespace);
  initMetadata(served, object, write.now);
  dropStatus(served, object, write);
  rules.prepareForCreate?.(object, write);
  if (isLarge(context)) await turnIfDue();
  await validateCreate(served, object, write);
  if (isLarge(context)) await turnIfDue();
  for (const warning of rules.warnings?.(object, undefined, write) ?? []) context.warnings.add(warning);
  rules.canonicalize?.(object, write);
  const name = object.metadata.name!;
  const { store, etcdPrefix } = registry;
  if (isLarge(context)) await turnIfDue();
  const allocation = await rules.allocate?.(object, undefined, { ...write, store, etcdPrefix });
  // Validation sees the allocated values, and charges no quota if the allocation failed.
  await registry.admission.validate({ ...request, name });
  const key = stored.keyPrefix + keyOf(object.metadata.namespace ?? '', name);
  if (isLarge(context)) await turnIfDue();
  const found = storedFormOf(served, object);
  const form = isPromise(found) ? await found : found;
  if (isLarge(context)) await turnIfDue();
  const value = formBytes(form);
  const ttlSeconds = rules.ttlSeconds?.(object);
  const put: Write = { key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  return {
    name,
    generated: (given ?? '') === '' && (generateName ?? '') !== '',
    prefixed: (object.metadata.generateName ?? '') !== '',
    key,
    value,
    conditions: [
      { key, revision: 0 },
      ...request.conditions,
      ...(allocation?.conditions ?? []),
      ...conditionsOf(restsOf(stored, write)),
    ],
    writes: [put, ...(allocation?.writes ?? [])],
  };
}

function taken(served: StoredServedResource, { name, prefixed }: NewObject, value: Buffer): StatusError {
  const error = (prefixed ? generatedNameTaken : alreadyExists)(subjectOf(served), name);
  let there: ApiObject;
  try {
    there = parseStored<ApiObject>(value);
  } catch {
    const problem = isSealed(value) ? 'cannot be opened' : 'cannot be read; a DELETE removes it';
    error.status.message = `${error.message}, but its stored value ${problem}`;
    return error;
  }
  if ((there.metadata?.deletionTimestamp ?? null) !== null) {
    const message = `object is being deleted: ${error.status.message}`;
    error.status.message = message;
  }
  return error;
}

/**
 * Stores a new object. `make` gives the object in the served version, with defaults and owners. It makes a new object
 * for every attempt.
 *
 * @throws StatusError: 409 if the name exists, 404 and 403 about its namespace, 422 for invalid objects; and the errors
 * of admission and of `make`
 */
export async function createObject(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
  make: () => Promise<ApiObject>,
  options: WriteOptions,
): Promise<Answer> {
  const write = writeContext(registry, served, context, options.dryRun);
  let inTheWay: StatusError | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const made = await prepare(registry, served, await make(), context, options, write);
    const { key, value, conditions, writes } = made;
    if (options.dryRun) {
      const there = await registry.store.get(key);
      if (there !== undefined) throw taken(served, made, there.value);
      return objectAnswer(await writtenContent(served, value, 0), 201);
    }
    const result = await ownWrite(registry, key, value, () => registry.store.transact(conditions, writes));
    if (result.outcome === 'written') {
      const { revision } = result;
      // Several writes may be acknowledged at once.
      if (isLarge(context)) await turnIfDue();
      const relative = key.slice(served.stored.keyPrefix.length);
      return objectAnswer(await committedContent(served, relative, { value, revision }), 201);
    }
    requireHolding(restsOf(served.stored, write), result.current);
    const [there] = result.current;
    inTheWay = there === undefined ? undefined : taken(served, made, there.value);
    if (inTheWay !== undefined && !made.generated) throw inTheWay;
    // The generated name is in use, or the namespace has changed, so the loop starts again.
  }
  throw inTheWay ?? serviceUnavailable('the namespace keeps changing');
}

/** Answers a POST to a collection. */
export async function create(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const options = writeOptions(context, 'CreateOptions', registry);
  const writer = { manager: options.fieldManager, subresource: '' };
  const make = async (): Promise<ApiObject> => {
    const object = await decodeBody(registry, context, expectedOf(served), options.fieldValidation);
    if (!options.dryRun && !/^0*$/.test(object.metadata.resourceVersion ?? '')) {
      throw badRequest('resourceVersion should not be set on objects to be created');
    }
    if (isLarge(context)) await turnIfDue();
    matchNamespace(served, object, context.info.namespace);
    wipeSystemFields(object);
    mergeRepeatedOwners(object, context, false);
    if (isLarge(context)) await turnIfDue();
    await trackWrite(served, undefined, object, writer, context);
    if (isLarge(context)) await turnIfDue();
    return object;
  };
  return createObject(registry, served, context, make, options);
}
