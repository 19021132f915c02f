import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sleep } from '#base/time/sleep.ts';
import type { ClusterRole, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { StoredResource } from '../../api/served-resource.ts';
import type { Registry } from '../../resources/registry.ts';
import { timestamp } from '../../verbs/object-meta.ts';
import { ownValue } from '../../verbs/own-fields.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import type { BootstrapBinding, BootstrapRole } from './policy-objects.ts';
import { type Reconciled, reconcileBinding, reconcileRole } from './reconcile.ts';

const GROUP = 'rbac.authorization';
const ATTEMPTS = 5;
const RETRY_MS = 1000;
const FOLLOW_MS = 1000;

type Bootstrap = BootstrapRole | BootstrapBinding;

function fresh({ name, namespace, labels, annotations, ...content }: Bootstrap): ApiObject {
  const own = namespace === undefined ? { name } : { name, namespace };
  const metadata = { ...own, uid: randomUUID(), creationTimestamp: timestamp(), labels, annotations };
  return asObject({ metadata, ...content });
}

/**
 * Creates or completes one object. Other replicas may do the same at the same time. Resolves to the revision of the
 * write; 0 without a write.
 */
async function ensureOne(
  registry: Registry,
  stored: StoredResource,
  wanted: Bootstrap,
  reconcile: (there: ApiObject) => Reconciled<ApiObject>,
): Promise<number> {
  const { store, naming } = registry;
  const relative = wanted.namespace === undefined ? wanted.name : `${wanted.namespace}/${wanted.name}`;
  const key = stored.keyPrefix + relative;
  const item = stored.cache.get(relative);
  let there = item === undefined ? undefined : asObject(registry.cache.parsed(item));
  let revision = item?.revision ?? 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (there === undefined) {
      const made = await store.create(key, await ownValue(registry, stored, undefined, fresh(wanted)));
      if (made.outcome === 'written') return made.revision;
      there = JSON.parse(made.current.value.toString()) as ApiObject;
      revision = made.current.revision;
    }
    if (there.metadata.annotations?.[naming.key('rbac.authorization/autoupdate')] === 'false') return 0;
    const reconciled = reconcile(there);
    if (reconciled.action === 'keep') return 0;
    const value = await (reconciled.action === 'update'
      ? ownValue(registry, stored, there, reconciled.object)
      : ownValue(registry, stored, undefined, fresh(wanted)));
    const result = await store.update(key, revision, value);
    if (result.outcome === 'written') return result.revision;
    there = result.current === undefined ? undefined : (JSON.parse(result.current.value.toString()) as ApiObject);
    revision = result.current?.revision ?? 0;
  }
  throw new Error(`${stored.plural} ${relative} changes all the time`);
}

/**
 * Creates or completes a role, of a namespace or of the cluster. Resolves to the revision of the write; 0 without a
 * write.
 */
export function ensureRole(registry: Registry, wanted: BootstrapRole): Promise<number> {
  const stored = registry.stored(GROUP, wanted.namespace === undefined ? 'clusterroles' : 'roles');
  return ensureOne(registry, stored, wanted, (there) => reconcileRole(there as ClusterRole, wanted));
}

/** Creates or completes a binding, like {@link ensureRole}. */
export function ensureBinding(registry: Registry, wanted: BootstrapBinding): Promise<number> {
  const stored = registry.stored(GROUP, wanted.namespace === undefined ? 'clusterrolebindings' : 'rolebindings');
  return ensureOne(registry, stored, wanted, (there) => reconcileBinding(there as RoleBinding, wanted));
}

/**
 * Creates the default roles and bindings of every cluster, and completes existing ones. Throws StoreUnavailableError.
 */
export async function ensurePolicy(registry: Registry): Promise<void> {
  const policy = bootstrapPolicy(registry.naming, registry.schema.release);
  const roles = [...policy.clusterRoles, ...policy.roles];
  const bindings = [...policy.clusterRoleBindings, ...policy.roleBindings];
  const revisions = await Promise.all([
    ...roles.map((wanted) => ensureRole(registry, wanted)),
    ...bindings.map((wanted) => ensureBinding(registry, wanted)),
  ]);
  const last = Math.max(...revisions);
  if (last > 0) await registry.cache.waitFor(last, FOLLOW_MS);
}

/** Repeats {@link ensurePolicy} until it succeeds or the signal aborts. */
export async function keepEnsuringPolicy(
  registry: Registry,
  log: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await ensurePolicy(registry);
      return;
    } catch (error) {
      log.warn({ err: error }, 'the default roles and bindings could not be created; the next attempt follows');
      await sleep(RETRY_MS, signal);
    }
  }
}
