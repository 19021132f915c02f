import type { StoredKinds } from '#schema/generated/stored-kinds.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { KindRules } from '../api/resource-definition.ts';

/** The rules of a kind, without the group and the plural of its storage identity. */
export type Rules<T extends ApiObject> = Omit<KindRules<T>, 'group' | 'plural'>;

/**
 * Defines the rules of a stored kind. The storage identity of the kind comes from `proto/`, such as `apps/deployments`
 * or `core/pods`. It decides the type of the objects, and an unknown identity does not compile.
 */
export function defineKind<Id extends keyof StoredKinds>(
  identity: Id,
  rules: Rules<StoredKinds[Id]>,
): KindRules<StoredKinds[Id]> {
  const slash = identity.lastIndexOf('/');
  const group = identity.slice(0, slash);
  return { ...rules, group: group === 'core' ? '' : group, plural: identity.slice(slash + 1) };
}
