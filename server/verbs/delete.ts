import { conflict, forbidden, notFound } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { StoreFullError, type Written } from '#storage/object-store.ts';
import { admit } from '../api/admission.ts';
import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { contentOf, workingObject } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { commit, writeAlone } from './commit.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { deletionStep } from './deletion.ts';
import { requestedKey } from './get.ts';
import { isLarge } from './is-large.ts';
import { uidMismatch } from './precondition.ts';
import { removeUnreadable, requireOpened, unreadable } from './unreadable.ts';
import { type Outcome, updateLoop } from './update-loop.ts';
import { writeContext } from './write-context.ts';
import { formBytes, storedFormOf, writtenContent } from './written.ts';

function checkPreconditions(
  served: StoredServedResource,
  item: Item,
  preconditions: DeleteOptions['preconditions'],
): void {
  const { uid, resourceVersion } = preconditions;
  // Namespaces have a separate rule, which names the plural.
  const ownRules = served.stored.rules.markDeleted !== undefined;
  const { group, type, stored } = served;
  const subject = ownRules ? subjectOf(served) : { group: stored.rules.invalidGroup ?? group, resource: type.kind };
  if (uid !== undefined && uid !== item.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${item.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, item.name, ownRules ? uidMismatch(uid, item.uid) : why);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(item.revision)) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${item.revision}). The object might have been modified`;
    const own = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${item.revision}`;
    throw conflict(subject, item.name, ownRules ? own : why);
  }
}

/** The Status of an immediate delete. */
function deleted(registry: Registry, served: StoredServedResource, item: Item): Answer {
  const { group, resource } = subjectOf(served);
  const details: JsonObject = { name: item.name, ...(group === '' ? {} : { group }), kind: resource, uid: item.uid };
  const status = { metadata: {}, status: 'Success', details };
  const message = registry.schema.message('meta.v1.Status');
  return objectAnswer(ObjectContent.ofObject('Status', 'v1', message, status));
}

/** Why the option for malformed values does not remove a valid object. */
function readable(key: string): string {
  const why = 'unsafe deletion is not allowed because the object is decodable from storage';
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
}

/** The result of deleting one object. */
export interface Deleted {
  readonly answer: Answer;
  /** Whether it still exists, because of its grace period, its finalizers or another reason. */
  readonly remains: boolean;
}

/**
 * Deletes one object of a resource: preconditions, admission, then one or two phases. `context.info` may be that of a
 * whole collection. `key` names the object.
 */
export async function deleteItem(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
  key: string,
  options: DeleteOptions,
): Promise<Deleted> {
  const stored = served.stored;
  let remains = false;
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const write = writeContext(registry, served, context, options.dryRun);
  const compute = async (current: Item | undefined): Promise<Outcome> => {
    if (current === undefined) throw notFound(subjectOf(served), name);
    if (options.onlyUnreadable === true) throw conflict(subjectOf(served), name, readable(stored.keyPrefix + key));
    checkPreconditions(served, current, options.preconditions);
    const old = await workingObject(served, current);
    const refusal = stored.rules.refusesDeletion?.(old);
    if (refusal !== undefined) throw forbidden(subjectOf(served), name, refusal);
    const request = {
      operation: 'DELETE' as const,
      served,
      subresource: '',
      namespace: current.namespace,
      name: context.info.name,
      object: undefined,
      oldObject: old,
      options: { ...options.sent, kind: 'DeleteOptions' },
      dryRun: options.dryRun,
      context,
      rests: write.rests,
    };
    if (options.admitted !== true) await admit(registry.admission, request);
    if (isLarge(context)) await turnIfDue();
    const object = cloneJson(old) as ApiObject;
    if (isLarge(context)) await turnIfDue();
    const step = deletionStep(served, object, options, Date.now());
    remains = step.kind === 'pending' || (step.kind === 'mark' && !step.thenRemove);
    if (step.kind === 'pending') return { kind: 'nothing', answer: objectAnswer(await contentOf(served, current)) };
    if (step.kind === 'remove') return remove(registry, served, current, old, write);
    const value = formBytes(await storedFormOf(served, step.object));
    if (options.dryRun) {
      const content = await writtenContent(served, value, current.revision);
      return { kind: 'nothing', answer: objectAnswer(content) };
    }
    if (!step.thenRemove) return { kind: 'write', object: step.object };
    const mark = writeAlone(registry, stored, write, key, current.revision, value);
    const marked = await mark.catch((error: unknown): Written => {
      // A full store still accepts the removal. The mark before it is only for watchers.
      if (error instanceof StoreFullError) return { outcome: 'written', revision: current.revision };
      throw error;
    });
    if (marked.outcome === 'changed') return { kind: 'again', current: marked.current };
    const gone = await commit(registry, {
      stored,
      key,
      expected: marked.revision,
      after: undefined,
      old: step.object,
      write,
    });
    if (gone.outcome !== 'written')
      return { kind: 'again', current: gone.outcome === 'changed' ? gone.current : undefined };
    const answer = served.type.deleteAnswersObject
      ? objectAnswer(await writtenContent(served, value, shownRevision(registry, marked.revision, gone.revision)))
      : deleted(registry, served, current);
    return { kind: 'done', answer };
  };
  const answer = await updateLoop(registry, served, context, key, write, compute);
  return { answer, remains };
}

/**
 * The version of a deleted object in the answer. It is the version of its deletion, and before 1.26 that of its last
 * write.
 */
function shownRevision({ schema: { release } }: Registry, written: number, deleted: number): number {
  return release.atLeast(26) ? deleted : written;
}

/** Removes an object from the store. */
async function remove(
  registry: Registry,
  served: StoredServedResource,
  item: Item,
  old: ApiObject,
  write: WriteContext,
): Promise<Outcome> {
  const answer = served.type.deleteAnswersObject
    ? objectAnswer(await contentOf(served, item))
    : deleted(registry, served, item);
  if (write.dryRun) return { kind: 'nothing', answer };
  const stored = served.stored;
  const gone = await commit(registry, {
    stored,
    key: item.key,
    expected: item.revision,
    after: undefined,
    old,
    write,
  });
  if (gone.outcome === 'claimed')
    return {
      kind: 'again',
      current: { key: item.key, value: formBytes(await storedFormOf(served, old)), revision: item.revision },
    };
  if (gone.outcome === 'changed') return { kind: 'again', current: gone.current };
  const shown = shownRevision(registry, item.revision, gone.revision);
  if (!served.type.deleteAnswersObject || shown === item.revision) return { kind: 'done', answer };
  const value = formBytes(await storedFormOf(served, old));
  return { kind: 'done', answer: objectAnswer(await writtenContent(served, value, shown)) };
}

/** Adds a warning if dependents stay, for clients that name no policy. */
export function warnOfOrphans(
  served: StoredServedResource,
  options: DeleteOptions,
  { warnings }: RequestContext,
): void {
  const warning = served.stored.rules.orphanWarning;
  if (warning !== undefined && options.propagation === undefined) warnings.add(warning);
}

/** Answers a DELETE of one object. */
export async function deleteOne(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const options = await deleteOptions(registry, context);
  warnOfOrphans(served, options, context);
  const key = requestedKey(served, context.info);
  const stored = served.stored;
  const removed = async (): Promise<Answer | undefined> => {
    const problem = await unreadable(registry, stored, key);
    return problem && removeUnreadable(registry, served, key, problem, options);
  };
  if (stored.cache.isUnreadable(key)) {
    await requireOpened(registry, served, key);
    const answer = await removed();
    if (answer !== undefined) return answer;
  }
  let outcome: Deleted;
  try {
    outcome = await deleteItem(registry, served, context, key, options);
  } catch (error) {
    // The stored fields do not have the types that the rules of the kind expect.
    const answer = error instanceof TypeError || error instanceof SyntaxError ? await removed() : undefined;
    if (answer === undefined) throw error;
    return answer;
  }
  const { answer, remains } = outcome;
  // The answer to `orphanDependents` says that the object is not gone yet. Answers to policies depend on the object.
  return answer.kind === 'object' && remains && options.sent?.['orphanDependents'] === false
    ? { ...answer, status: 202 }
    : answer;
}
