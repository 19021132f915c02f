import type { Naming } from '#base/naming/naming.ts';
import type { ClusterRoleBinding, RoleBinding } from '../../generated/rbac.authorization.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

/**
 * The default group of a subject or role. Roles, users and groups belong to the group of access control, and service
 * accounts to the core group.
 */
function defaults(object: ApiObject, { naming }: { naming: Naming }): void {
  const { roleRef, subjects } = object as RoleBinding | ClusterRoleBinding;
  const group = naming.group('rbac.authorization');
  if (roleRef.apiGroup === '') roleRef.apiGroup = group;
  for (const subject of subjects ?? []) {
    const hasGroup = subject.kind === 'User' || subject.kind === 'Group';
    if (hasGroup && (subject.apiGroup ?? '') === '') subject.apiGroup = group;
  }
}

/** The defaults of bindings in each version. */
export const bindingVersions = { v1: { defaults } } satisfies KindVersions;
