import { isDeepStrictEqual } from 'node:util';
import { isNotFound } from '../../client/errors.ts';
import { rbacAuthorizationV1 } from '../../client/generated/resources.ts';
import { selects } from '../../client/label-selector.ts';
import type { ClusterRole } from '../../server/schema/generated/rbac.authorization.v1.ts';
import { controller, need } from '../controller.ts';

type Rule = NonNullable<ClusterRole['rules']>[number];

/** Keeps in each cluster role that gathers others the rules of those, whatever else is written into it. */
export const roleAggregationController = controller({
  name: 'clusterrole-aggregation',
  account: 'clusterrole-aggregation-controller',
  needs: [need(rbacAuthorizationV1.clusterroles, { fields: '*' })],

  start({ client, informer, queue, log, signal }) {
    const copies = informer(rbacAuthorizationV1.clusterroles);
    const roles = client.resource(rbacAuthorizationV1.clusterroles);
    const names = queue(async (name) => {
      const role = copies.get(name);
      if (role?.aggregationRule === undefined || role.metadata.deletionTimestamp) return;
      const rules = gather(role, [...copies.all()]);
      if (isDeepStrictEqual(rules, role.rules ?? [])) return;
      const { uid, resourceVersion } = role.metadata;
      await roles.patch(name, 'merge', { metadata: { uid, resourceVersion }, rules }).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
      log.info({ role: name, rules: rules.length }, 'gathered its rules');
    });
    // Any role may be one that others gather, or no longer be.
    const changed = () => {
      for (const role of copies.all()) if (role.aggregationRule !== undefined) names.add(role.metadata.name!);
    };
    copies.on({ added: changed, updated: changed, deleted: changed }, signal);
  },
});

/** The rules of all roles that a role selects, in order of their names, each once. */
export function gather(into: ClusterRole, roles: readonly ClusterRole[]): Rule[] {
  const selectors = into.aggregationRule?.clusterRoleSelectors ?? [];
  const seen = new Set<string>();
  return roles
    .filter(({ metadata }) => metadata.name !== into.metadata.name)
    .filter(({ metadata }) => selectors.some((selector) => selects(selector, metadata.labels)))
    .sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))
    .flatMap(({ rules }) => rules ?? [])
    .filter((rule) => {
      const text = JSON.stringify(rule);
      return !seen.has(text) && seen.add(text);
    });
}
