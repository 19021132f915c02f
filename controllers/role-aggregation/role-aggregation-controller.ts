import { isDeepStrictEqual } from 'node:util';
import { isConflict, isNotFound } from '#client/errors.ts';
import { rbacAuthorizationV1 } from '#client/generated/resources.ts';
import { selects } from '#client/label-selector.ts';
import type { ClusterRole } from '#schema/generated/rbac.authorization.v1.ts';
import { controller, need } from '../controller.ts';

const MANAGER = 'clusterrole-aggregation-controller';

type Rule = NonNullable<ClusterRole['rules']>[number];

/** Keeps the rules of the selected roles in each aggregated cluster role, whatever other clients write into it. */
export const roleAggregationController = controller({
  name: 'clusterrole-aggregation',
  account: MANAGER,
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
      // Server-side apply makes this controller the owner of the rules. If there are no rules, other writers keep
      // theirs.
      const applied = { metadata: { name, uid, resourceVersion }, ...(rules.length === 0 ? {} : { rules }) };
      await roles.apply(applied, { fieldManager: MANAGER, force: true }).catch((error) => {
        // The role has changed in the meantime. The copy will show it, and the controller checks it again.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
      log.info({ role: name, rules: rules.length }, 'updated the rules of an aggregated role');
    });
    // An aggregated role may now select any role, or may select it no longer.
    const changed = () => {
      for (const role of copies.all()) if (role.aggregationRule !== undefined) names.add(role.metadata.name!);
    };
    copies.on({ added: changed, updated: changed, deleted: changed }, signal);
  },
});

/**
 * The rules of all roles that a role selects, selector by selector. Within a selector they are in the order of the
 * roles' names. A repeated rule appears once.
 */
export function gather(into: ClusterRole, roles: readonly ClusterRole[]): Rule[] {
  const others = roles
    .filter(({ metadata }) => metadata.name !== into.metadata.name)
    .sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  const seen = new Set<string>();
  return (into.aggregationRule?.clusterRoleSelectors ?? [])
    .flatMap((selector) => others.filter(({ metadata }) => selects(selector, metadata.labels)))
    .flatMap(({ rules }) => rules ?? [])
    .filter((rule) => {
      const text = JSON.stringify(rule);
      return !seen.has(text) && seen.add(text);
    });
}
