import { forbidden, notFound } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Attributes, resourceAttributes } from '../../api/attributes.ts';
import type { MaybePromise } from '../../api/maybe-promise.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { MASTERS } from '../../authentication/groups.ts';
import { type Decision, joinErrors } from '../authorizer.ts';
import { uncovered } from './covers.ts';
import type { Policy } from './policy.ts';

/** The inputs for checks of role and binding writes. */
export interface EscalationContext {
  readonly policy: Pick<Policy, 'grants' | 'rules' | 'missing'>;
  readonly naming: Naming;
  /** Makes the policy as new as the store. */
  confirm(): Promise<void>;
  decide(attributes: Attributes): MaybePromise<Decision>;
}

/** One write of a role or binding. */
export interface PolicyWrite<T extends ApiObject> {
  readonly user: UserInfo;
  /** Plural of the written resource. */
  readonly resource: string;
  /** The name in the request's path: '' on create. */
  readonly requestName: string;
  readonly object: T;
  /** It is undefined when the object is created. */
  readonly old: T | undefined;
}

const GROUP = 'rbac.authorization';

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Refuses (403) a role with rights that the writer lacks, unless allowed to `escalate`. For roles and cluster roles.
 */
export async function checkRoleWrite(context: EscalationContext, write: PolicyWrite<ClusterRole>): Promise<void> {
  const { user, object, old, resource, requestName } = write;
  if (user.groups.includes(MASTERS) || keepsAllButDeletion(object, old)) return;
  const namespace = object.metadata.namespace ?? '';
  if (await mayDo(context, user, { verb: 'escalate', resource, namespace, name: requestName })) return;
  await checkHeld(context, write, namespace, object.rules ?? []);
  // The result of an aggregation is unknown, so it may be anything.
  if (aggregates(object) || (old !== undefined && aggregates(old)))
    await checkHeld(context, write, namespace, EVERYTHING);
}

/** Refuses (403) a binding to a role with rights that the writer lacks, unless the writer may `bind` the role; 404
 * without the role. */
export async function checkBindingWrite(context: EscalationContext, write: PolicyWrite<RoleBinding>): Promise<void> {
  const { user, object, old } = write;
  if (user.groups.includes(MASTERS) || keepsAllButDeletion(object, old)) return;
  const { roleRef } = object;
  const namespace = object.metadata.namespace ?? '';
  const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (await mayDo(context, user, { verb: 'bind', resource, namespace, name: roleRef.name })) return;
  let rules = context.policy.rules(roleRef, namespace);
  if (rules === undefined) {
    await context.confirm();
    rules = context.policy.rules(roleRef, namespace);
  }
  if (rules === undefined) throw notFound({ group: context.naming.group(GROUP), resource }, roleRef.name);
  await checkHeld(context, write, namespace, rules);
}

async function mayDo(
  context: EscalationContext,
  user: UserInfo,
  about: { verb: string; resource: string; namespace: string; name: string },
): Promise<boolean> {
  const group = context.naming.group(GROUP);
  const { verdict } = await context.decide(resourceAttributes(user, { ...about, group, version: '*' }));
  return verdict === 'allow';
}

async function checkHeld(
  context: EscalationContext,
  write: PolicyWrite<ApiObject>,
  namespace: string,
  wanted: readonly PolicyRule[],
): Promise<void> {
  const { user, object, resource } = write;
  if (lacking(context, user, namespace, wanted).rules.length === 0) return;
  await context.confirm();
  const { rules, errors } = lacking(context, user, namespace, wanted);
  if (rules.length === 0) return;
  const lines = [...new Set(compacted(rules).map(shown))].sort();
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const tail = errors.length === 0 ? '' : `; resolution errors: ${joinErrors(errors)}`;
  throw forbidden(
    { group: context.naming.group(GROUP), resource },
    object.metadata.name ?? '',
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${tail}`,
  );
}

function lacking(
  { policy }: EscalationContext,
  user: UserInfo,
  namespace: string,
  wanted: readonly PolicyRule[],
): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] } {
  const held: PolicyRule[] = [];
  const errors: string[] = [];
  for (const { bound, rules } of policy.grants(user, namespace)) {
    if (rules === undefined) errors.push(policy.missing(bound.roleRef));
    else held.push(...rules);
  }
  return { rules: uncovered(held, wanted), errors };
}

function aggregates(role: ClusterRole): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Whether a write changes at most what garbage collection needs in order to delete the object. */
function keepsAllButDeletion(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false;
  const rest = ({ metadata, ...content }: ApiObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...kept } = metadata;
    return sorted({ ...content, apiVersion: undefined, kind: undefined, metadata: kept });
  };
  return rest(object) === rest(old);
}

/** JSON with the fields of objects in one order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Joins simple rules that differ in their verb only. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const { verbs, ...about } of rules) {
    // Rules about paths are joined only if they also have the same verb.
    const key = JSON.stringify(about.nonResourceURLs ? [about, verbs] : about);
    const known = found.get(key);
    found.set(key, { ...about, verbs: [...(known?.verbs ?? []), ...(verbs ?? [])] });
  }
  return [...found.values()];
}

/** A rule as messages show it; empty parts are left out. */
function shown({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  }).flatMap(([name, list]) =>
    list?.length ? [`${name}:[${list.map((value) => JSON.stringify(value)).join(' ')}]`] : [],
  );
  return `{${parts.join(', ')}}`;
}
