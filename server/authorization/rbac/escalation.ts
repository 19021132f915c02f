import { append } from '#base/collections/append.ts';
import { forbidden, MOST_ERRORS, notFound } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import { inFairTurns } from '#base/time/fair-turn.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Attributes, resourceAttributes } from '../../api/attributes.ts';
import type { MaybePromise } from '../../api/maybe-promise.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { MASTERS } from '../../authentication/groups.ts';
import { type Decision, joinErrors } from '../authorizer.ts';
import { TooManyRightsError, uncovered } from './covers.ts';
import type { Policy } from './policy.ts';

/** The inputs for checks of role and binding writes. */
export interface EscalationContext {
  readonly policy: Pick<Policy, 'grants' | 'rules' | 'missing'>;
  readonly naming: Naming;
  /** Updates the policy to the state of the store. */
  confirm(): Promise<void>;
  decide(attributes: Attributes): MaybePromise<Decision>;
}

/** One write of a role or binding. */
export interface PolicyWrite<T extends ApiObject> {
  readonly user: UserInfo;
  /** Plural of the written resource. */
  readonly resource: string;
  /** The name in the request's path; '' for a create. */
  readonly requestName: string;
  readonly object: T;
  /** The object before; undefined for a create. */
  readonly old: T | undefined;
}

const GROUP = 'rbac.authorization';

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Refuses (403) a role with rights that the writer lacks, unless the writer has the right to `escalate`. It is for
 * roles and cluster roles.
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

/**
 * Refuses (403) a binding to a role with rights that the writer lacks, unless the writer has the right to `bind` the
 * role. If the role does not exist, it throws 404.
 */
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
  const about = { group: context.naming.group(GROUP), resource };
  const check = () =>
    lacking(context, user, namespace, wanted).catch((error: unknown) => {
      if (!(error instanceof TooManyRightsError)) throw error;
      throw forbidden(about, object.metadata.name ?? '', `${error.message} with those of its writer`);
    });
  if ((await check()).rules.length === 0) return;
  await context.confirm();
  const { rules, errors } = await check();
  if (rules.length === 0) return;
  const all = [...new Set(compacted(rules).map(shown))].sort();
  const lines = all.slice(0, MOST_ERRORS);
  if (lines.length < all.length) lines.push(`and ${all.length - lines.length} more`);
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const tail = errors.length === 0 ? '' : `; resolution errors: ${joinErrors(errors)}`;
  throw forbidden(
    about,
    object.metadata.name ?? '',
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${tail}`,
  );
}

async function lacking(
  { policy }: EscalationContext,
  user: UserInfo,
  namespace: string,
  wanted: readonly PolicyRule[],
): Promise<{ readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] }> {
  const held: PolicyRule[] = [];
  const errors: string[] = [];
  for (const { bound, rules } of policy.grants(user, namespace)) {
    if (rules === undefined) errors.push(policy.missing(bound.roleRef));
    else for (const rule of rules) held.push(rule);
  }
  return { rules: await inFairTurns(uncovered(held, wanted)), errors };
}

function aggregates(role: ClusterRole): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Whether a write changes no more than the fields that the garbage collector changes in order to delete the object. */
function keepsAllButDeletion(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false;
  const rest = ({ metadata, ...content }: ApiObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...kept } = metadata;
    return { ...content, apiVersion: undefined, kind: undefined, metadata: kept };
  };
  return jsonEqual(rest(object), rest(old));
}

/** Joins simple rules that differ only in their verb. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const found = new Map<string, PolicyRule & { verbs: string[] }>();
  for (const { verbs, ...about } of rules) {
    // Rules about paths are joined only if they also have the same verb.
    const key = JSON.stringify(about.nonResourceURLs ? [about, verbs] : about);
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...about, verbs: [...(verbs ?? [])] });
    else append(known.verbs, verbs ?? []);
  }
  return [...found.values()];
}

/** A rule in the form of messages, without empty parts. */
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
