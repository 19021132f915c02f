import type { Condition, Write } from '../../storage-etcd/object-store.ts';
import { parseStored } from '../codecs/json/parse-stored.ts';
import { alreadyExists, badRequest, conflict, type StatusError, serviceUnavailable } from '../errors/status-error.ts';
import { type Answer, object as objectAnswer } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { clone, toStorage } from './convert.ts';
import { decodeBody } from './decode-body.ts';
import { expectedOf } from './expected.ts';
import { keyOf } from './get.ts';
import { trackWrite } from './managed-fields.ts';
import { initMetadata, matchNamespace } from './object-meta.ts';
import { type Registry, subjectOf } from './registry.ts';
import type { WriteContext } from './resource-definition.ts';
import type { ServedResource } from './served-resource.ts';
import { validateCreate } from './validate.ts';
import { writeContext } from './write-context.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';
import { seen, storedValue, writtenContent } from './written.ts';

/** How often a generated name that is taken is made anew, and a moved condition is read again. */
const ATTEMPTS = 8;

function dropStatus(served: ServedResource, object: ApiObject): void {
  const stored = served.stored!;
  const hasStatus = served.type.subresources.some((sub) => sub.name === 'status');
  if (hasStatus && stored.rules.keepsStatusOnCreate !== true) delete object['status'];
}

/** A new object, valid but not looked at by validating admission yet, and what storing it rests on. */
interface Prepared {
  readonly object: ApiObject;
  readonly conditions: readonly Condition[];
  /** Validating admission of the object as it is then; may add conditions. */
  admit(): Promise<void>;
}

/** The stages of a create from the defaulted object (storage version) to a valid one. */
async function prepare(
  registry: Registry,
  served: ServedResource,
  sent: ApiObject,
  context: RequestContext,
  options: WriteOptions,
  write: WriteContext,
): Promise<Prepared> {
  const { rules } = served.stored!;
  const { namespace } = context.info;
  const request = {
    operation: 'CREATE' as const,
    served,
    subresource: '',
    namespace,
    name: sent.metadata.name ?? '',
    object: sent,
    oldObject: undefined,
    options: { kind: options.kind },
    dryRun: options.dryRun,
    context,
    conditions: [] as Condition[],
  };
  await registry.guard?.write({ served, context, object: sent, old: undefined });
  await registry.admission.mutate(request);
  const object = request.object as ApiObject;
  // admission may have changed anything
  matchNamespace(served, object, namespace);
  initMetadata(served, object, write.now);
  dropStatus(served, object);
  rules.prepareForCreate?.(object, write);
  validateCreate(served, object, write);
  for (const warning of rules.warnings?.(object, undefined, write) ?? []) context.warnings.add(warning);
  rules.canonicalize?.(object);
  const admit = () => registry.admission.validate({ ...request, object, name: object.metadata.name ?? '' });
  return { object, conditions: request.conditions, admit };
}

function taken(served: ServedResource, object: ApiObject, value: Buffer): StatusError {
  const name = object.metadata.name ?? '';
  const error = alreadyExists(subjectOf(served), name);
  const there = parseStored<ApiObject>(value);
  if ((there.metadata.deletionTimestamp ?? null) !== null) {
    const message = `object is being deleted: ${error.status.message}`;
    error.status.message = message;
  }
  return error;
}

/**
 * Stores a new object. `sent` is in the served version, defaulted; it is not changed. Throws 409 where the name is
 * taken, 404 and 403 about its namespace, 422 on invalid objects and what admission throws.
 */
export async function createObject(
  registry: Registry,
  served: ServedResource,
  context: RequestContext,
  sent: ApiObject,
  options: WriteOptions,
): Promise<Answer> {
  const stored = served.stored!;
  const write = writeContext(registry, served, context, options.dryRun);
  const generated = (sent.metadata.name ?? '') === '' && (sent.metadata.generateName ?? '') !== '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const copy = toStorage(registry, served, clone(sent));
    const { object, conditions, admit } = await prepare(registry, served, copy, context, options, write);
    const key = stored.keyPrefix + keyOf(object.metadata.namespace ?? '', object.metadata.name!);
    const allocation = await stored.rules.allocate?.(object, undefined, {
      ...write,
      store: registry.store,
      etcdPrefix: registry.etcdPrefix,
    });
    // it sees what was allocated, and charges no quota where nothing could be
    await admit();
    const value = storedValue(stored, object);
    if (options.dryRun) {
      const there = await registry.store.get(key);
      if (there !== undefined) throw taken(served, object, there.value);
      return objectAnswer(writtenContent(registry, served, value, 0), 201);
    }
    const ttlSeconds = stored.rules.ttlSeconds?.(object);
    const put: Write = { key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
    const result = await registry.store.transact(
      [{ key, revision: 0 }, ...conditions, ...(allocation?.conditions ?? [])],
      [put, ...(allocation?.writes ?? [])],
    );
    if (result.outcome === 'written') {
      await seen(registry, result.revision);
      return objectAnswer(writtenContent(registry, served, value, result.revision), 201);
    }
    const [there] = result.current;
    if (there !== undefined && !generated) throw taken(served, object, there.value);
    // a generated name was taken, or the namespace changed: look again
  }
  if (generated) throw conflict(subjectOf(served), sent.metadata.generateName!, 'no free name could be generated');
  throw serviceUnavailable('the namespace keeps changing');
}

/** POST to a collection. */
export async function create(registry: Registry, served: ServedResource, context: RequestContext): Promise<Answer> {
  const options = writeOptions(context, 'CreateOptions', registry.naming);
  const object = await decodeBody(registry, context, expectedOf(served), options.fieldValidation);
  if ((object.metadata.resourceVersion ?? '') !== '') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  matchNamespace(served, object, context.info.namespace);
  served.versionRules.defaults?.(object, registry);
  trackWrite(registry, served, undefined, object, { manager: options.fieldManager, subresource: '' });
  return createObject(registry, served, context, object, options);
}
