import { internalError } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ClusterRole, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import { attributesOf, resourceAttributes } from '../api/attributes.ts';
import type { WriteGuard } from '../api/write-guard.ts';
import type { Authorization } from './create-authorization.ts';
import { checkParamAccess, namesParams } from './param-access.ts';
import { checkBindingWrite, checkRoleWrite } from './rbac/escalation.ts';
import { refusal } from './refusal.ts';

const GROUP = 'rbac.authorization';

/** Permissions that a write needs in addition to the request's own verb. */
export function writeGuard(authorization: Authorization, naming: Naming): WriteGuard {
  const { policy } = authorization;
  const escalation = {
    policy,
    naming,
    confirm: () => authorization.confirm(),
    decide: authorization.decide.bind(authorization),
  };
  return {
    async write(guarded) {
      const { served, context, object, old } = guarded;
      const { stored } = served;
      if (namesParams(guarded)) await checkParamAccess(escalation.decide, guarded);
      if (stored?.group !== GROUP) return;
      const { user } = attributesOf(context);
      const write = { user, resource: stored.plural, requestName: context.info.name };
      if (stored.plural === 'roles' || stored.plural === 'clusterroles') {
        await checkRoleWrite(escalation, { ...write, object: object as ClusterRole, old: old as ClusterRole });
      } else {
        await checkBindingWrite(escalation, { ...write, object: object as RoleBinding, old: old as RoleBinding });
      }
    },
    async createByUpdate(context) {
      const { user, group, version, namespace, resource, name } = attributesOf(context);
      const about = { verb: 'create', group, version, namespace, resource, name };
      const attributes = resourceAttributes(user, about);
      const { verdict, reason, error } = await authorization.decide(attributes);
      if (verdict === 'allow') return;
      if (error !== undefined) throw internalError(error);
      throw refusal(attributes, reason);
    },
  };
}
