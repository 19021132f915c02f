import { badRequest, conflict, notFound, StatusError, tooManyRequests } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Eviction, PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import { labelMatcher } from '#schema/validation/label-selector.ts';
import { versionOf } from '#schema/values/api-version.ts';
import type { AdmissionRequest } from '../api/admission.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { writeOptions } from '../api/write-options.ts';
import type { Item } from '../cache/item.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import { modelOf } from '../resources/message-model.ts';
import type { Registry } from '../resources/registry.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { deleteItem } from '../verbs/delete.ts';
import { checkedOptions, type DeleteOptions, type RawOptions } from '../verbs/delete-options.ts';
import { keyOf, readItem } from '../verbs/get.ts';
import { matchNamespace, timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';
import { createdAnswer } from './created-answer.ts';
import { markDisrupted } from './disruption-target.ts';

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";

const ALLOWED = 'DisruptionAllowed';

/** The largest number of evicted pods under one budget that its controller has not seen yet. */
const MAX_DISRUPTED = 2000;

/** How often the server charges a budget again that another client has changed in the meantime. */
const ATTEMPTS = 10;

function refused(message: string, retryAfterSeconds?: number): StatusError {
  const error = tooManyRequests(REFUSED, retryAfterSeconds ?? 0);
  error.status.details = {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return error;
}

/** Whether a pod needs no budget. Pods that never ran or have ended disrupt nothing. */
function isFree(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return (
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    phase === 'Pending' ||
    (pod.metadata.deletionTimestamp ?? null) !== null
  );
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** Whether a budget has its desired healthy pods; a pod that is not ready is not healthy. */
function isKept({ status }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * Whether a budget allows the eviction of pods that are not ready: always, or while it has its desired number of
 * healthy pods.
 */
function sparesUnready(budget: PodDisruptionBudget): boolean {
  return budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isKept(budget);
}

/**
 * Reduces the disruptions that a budget allows by one.
 *
 * @throws StatusError (429) if the budget does not allow another eviction, or if its status is not up to date
 */
function charge(budget: PodDisruptionBudget, pod: string): PodDisruptionBudget {
  const { name = '', generation = 0 } = budget.metadata;
  const status = budget.status;
  if ((status?.observedGeneration ?? 0) < generation) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) throw refused(`The disruption budget ${name} has a negative number of allowed disruptions`);
  if (Object.keys(status?.disruptedPods ?? {}).length > MAX_DISRUPTED) {
    throw refused(`The disruption budget ${name} has too many evictions that are not confirmed yet`, 10);
  }
  if (allowed === 0) {
    throw refused(
      `The disruption budget ${name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`,
    );
  }
  const disruptedPods = { ...status?.disruptedPods, [pod]: timestamp() };
  const charged = { ...status!, disruptionsAllowed: allowed - 1, disruptedPods };
  return { ...budget, status: allowed === 1 ? exhausted(charged) : charged };
}

/** A budget's status with the condition that it allows no more disruptions. */
function exhausted(status: NonNullable<PodDisruptionBudget['status']>): NonNullable<PodDisruptionBudget['status']> {
  const { conditions = [], observedGeneration = 0 } = status;
  const before = conditions.find(({ type }) => type === ALLOWED);
  const condition = {
    ...{ type: ALLOWED, status: 'False', reason: 'InsufficientPods', message: '', observedGeneration },
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : timestamp(),
  };
  const isThere = before !== undefined;
  return {
    ...status,
    conditions: isThere ? conditions.map((one) => (one === before ? condition : one)) : [...conditions, condition],
  };
}

/**
 * Charges the budgets that cover a pod, in one transaction that compares their revisions. Returns whether a budget was
 * not charged because the pod is not ready. The pod must then still not be ready when it is deleted.
 */
async function chargeBudgets(registry: Registry, pod: Pod, dryRun: boolean): Promise<boolean> {
  const budgets = registry.stored('policy', 'poddisruptionbudgets');
  const { name = '', namespace = '', labels } = pod.metadata;
  const budgetOf = (item: Item) => registry.cache.parsed(item) as unknown as PodDisruptionBudget;
  let names: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const covering = budgets.cache.range(`${namespace}/`).filter((item) => {
      const { spec } = budgetOf(item);
      return spec?.selector !== undefined && labelMatcher(spec.selector)(labels);
    });
    const concerned = isReady(pod) ? covering : covering.filter((item) => !sparesUnready(budgetOf(item)));
    const spared = concerned.length < covering.length;
    const charged = concerned.map((item) => charge(cloneJson(budgetOf(item)), name));
    if (dryRun || concerned.length === 0) return spared;
    const values = await Promise.all(
      concerned.map((item, i) => ownValue(registry, budgets, budgetOf(item), charged[i]!, { subresource: 'status' })),
    );
    const result = await registry.store.transact(
      concerned.map((item) => ({ key: budgets.keyPrefix + item.key, revision: item.revision })),
      concerned.map((item, i) => ({ key: budgets.keyPrefix + item.key, value: values[i]! })),
    );
    if (result.outcome === 'written') return spared;
    names = concerned.map((item) => item.name);
    await registry.cache.fresh();
  }
  const many = names.length > 1;
  throw refused(`The disruption budget${many ? 's' : ''} ${names.join(', ')} keep${many ? '' : 's'} changing.`, 10);
}

/**
 * Deletes the pod of the request if the disruption budgets allow this. False if the pod was evicted because it is not
 * ready, but changed in the meantime. The caller must then check the budgets again.
 */
async function evict(
  registry: Registry,
  context: RequestContext,
  sent: Eviction['deleteOptions'],
  dryRun: boolean,
): Promise<boolean> {
  const pods = registry.findStored('', 'v1', 'pods');
  const { namespace, name } = context.info;
  const key = keyOf(namespace, name);
  const item = await readItem(registry, pods.stored, key, undefined);
  if (item === undefined) throw notFound({ group: '', resource: 'pods' }, name);
  const pod = storedObject(registry, pods.stored, item) as Pod;
  const asked = checkedOptions((sent ?? {}) as RawOptions, registry);
  const { uid } = asked.preconditions;
  if (uid !== undefined && uid !== item.uid) {
    throw conflict(
      { group: '', resource: 'Pod' },
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${item.uid}). The object might have been deleted and then recreated`,
    );
  }
  const spared = !isFree(pod) && (await chargeBudgets(registry, pod, dryRun));
  const pinned = spared && asked.preconditions.resourceVersion === undefined;
  const preconditions: DeleteOptions['preconditions'] = {
    ...asked.preconditions,
    uid: item.uid,
    ...(pinned ? { resourceVersion: String(item.revision) } : {}),
  };
  let deletion: DeleteOptions = {
    gracePeriodSeconds: asked.gracePeriodSeconds,
    preconditions,
    propagation: asked.propagation,
    dryRun,
    admitted: true,
  };
  try {
    if (!dryRun && registry.gates.enabled('PodDisruptionConditions')) {
      const revision = await markDisrupted(registry, pods, context, key, preconditions);
      if (preconditions.resourceVersion !== undefined)
        deletion = { ...deletion, preconditions: { ...preconditions, resourceVersion: String(revision) } };
    }
    await deleteItem(registry, pods, context, key, deletion);
    return true;
  } catch (error) {
    if (pinned && error instanceof StatusError && error.code === 409) return false;
    throw error;
  }
}

/** Evicts a pod: POST to its `eviction`. */
export function evictionHandler(registry: Registry): ResourceHandler {
  const pods = registry.findStored('', 'v1', 'pods');
  const model = modelOf(registry.schema.message('policy.v1.Eviction'));
  const apiVersions = ['v1', 'v1beta1'].map((version) => registry.naming.apiVersion('policy', version));
  return async (_served, context: RequestContext) => {
    const { namespace, name } = context.info;
    const options = writeOptions(context, 'CreateOptions', registry);
    const expected = { kind: 'Eviction', apiVersion: apiVersions[0]!, model, otherVersions: apiVersions };
    const eviction = (await decodeBody(registry, context, expected, options.fieldValidation)) as Eviction;
    matchNamespace(pods, eviction, namespace);
    const request = {
      operation: 'CREATE' as const,
      served: pods,
      subresource: 'eviction',
      kind: { group: 'policy', version: versionOf(expected.apiVersion), kind: 'Eviction' },
      namespace,
      name,
      object: eviction,
      oldObject: undefined,
    };
    const rest = { options: { kind: options.kind }, dryRun: options.dryRun, context };
    const admitted = { ...request, ...rest } as AdmissionRequest;
    // A client without the right to evict gets this refusal before any error about the body.
    await registry.admission.mutate(admitted);
    const { metadata, deleteOptions: sent } = admitted.object as Eviction;
    if ((metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Eviction object');
    await registry.admission.validate(admitted);
    const dryRun = options.dryRun || sent?.dryRun?.includes('All') === true;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (await evict(registry, context, sent, dryRun)) return createdAnswer(registry);
    }
    throw refused('The pod keeps changing.', 10);
  };
}
