import { conflict, notFound } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';
import type { DeleteOptions } from '../verbs/delete-options.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { updateLoop } from '../verbs/update-loop.ts';
import { writeContext } from '../verbs/write-context.ts';

const TYPE = 'DisruptionTarget';

type Conditions = NonNullable<NonNullable<Pod['status']>['conditions']>;

/** The conditions with the reason of the eviction; undefined if they already have it. */
function withTarget(conditions: Conditions): Conditions | undefined {
  const before = conditions.find(({ type }) => type === TYPE);
  const said = { status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  if (before !== undefined && Object.entries(said).every(([key, value]) => before[key as keyof typeof said] === value))
    return undefined;
  const since = before?.status === 'True' ? before.lastTransitionTime : timestamp();
  const target = { ...before, type: TYPE, ...said, lastProbeTime: null, lastTransitionTime: since ?? timestamp() };
  const added = target as Conditions[number];
  return before === undefined ? [...conditions, added] : conditions.map((one) => (one === before ? added : one));
}

/**
 * Records in the status of a pod that an eviction ends it, so that clients that follow the pod know the reason.
 *
 * @returns the new revision of the pod; if the deletion named a revision, it must use this one
 * @throws StatusError: 404, and 409 if the pod no longer matches the preconditions
 */
export async function markDisrupted(
  registry: Registry,
  pods: StoredServedResource,
  context: RequestContext,
  key: string,
  preconditions: DeleteOptions['preconditions'],
): Promise<number> {
  const write = writeContext(registry, pods, context, false);
  const answer = await updateLoop(registry, pods, context, key, write, async (current) => {
    if (current === undefined) throw notFound({ group: '', resource: 'pods' }, context.info.name);
    checkPreconditions(current, preconditions);
    const pod = cloneJson(storedObject(registry, pods.stored, current)) as unknown as Pod;
    const conditions = withTarget(pod.status?.conditions ?? []);
    if (conditions !== undefined) pod.status = { ...pod.status, conditions };
    return { kind: 'write', object: pod };
  });
  if (answer.kind !== 'object') throw new Error('a write was answered without its object');
  const { metadata } = answer.content.object() as ApiObject;
  return Number(metadata.resourceVersion);
}

function checkPreconditions(item: Item, { uid, resourceVersion }: DeleteOptions['preconditions']): void {
  const refused = (what: string, asked: string, found: string, since: string) =>
    conflict(
      { group: '', resource: 'Pod' },
      item.name,
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${since}`,
    );
  if (uid !== undefined && uid !== item.uid) throw refused('UID', uid, item.uid, 'deleted and then recreated');
  const revision = String(item.revision);
  if (resourceVersion !== undefined && resourceVersion !== revision)
    throw refused('ResourceVersion', resourceVersion, revision, 'modified');
}
