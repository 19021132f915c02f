import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { releases } from '#base/release/release.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { groupOf, type ResourceType } from '#client/resource-type.ts';
import { bootstrapPolicy } from '#server/authorization/rbac/bootstrap-policy.ts';
import { needs } from './cluster-view.ts';

/** The writes of the scheduler: the verb, the type, and its subresource. */
const WRITES: readonly (readonly [verb: string, type: ResourceType, subresource?: string])[] = [
  ['create', coreV1.pods as ResourceType, 'binding'],
  ['patch', coreV1.pods as ResourceType, 'status'],
  ['delete', coreV1.pods as ResourceType],
  ['create', coreV1.events as ResourceType],
  ['patch', coreV1.events as ResourceType],
  ['patch', coreV1.persistentvolumes as ResourceType],
  ['patch', coreV1.persistentvolumeclaims as ResourceType],
  ['create', coordinationV1.leases as ResourceType],
  ['get', coordinationV1.leases as ResourceType],
  ['update', coordinationV1.leases as ResourceType],
];

describe('the roles of the scheduler', () => {
  for (const profile of ['orch', 'kubernetes'] as const)
    for (const release of [releases[0]!, releases.at(-1)!])
      it(`allow all of its requests in the words of ${profile}, in release 1.${release.minor}`, () => {
        const naming = createNaming(profile);
        const { clusterRoles, clusterRoleBindings } = bootstrapPolicy(naming, release);
        const user = `system:${naming.prefixed('scheduler')}`;
        const bound = clusterRoleBindings.filter(({ subjects }) => subjects?.some(({ name }) => name === user));
        const names = new Set(bound.map(({ roleRef }) => roleRef.name));
        const rules = clusterRoles.filter(({ name }) => names.has(name)).flatMap(({ rules }) => rules ?? []);
        const reads = needs.flatMap(({ type }) => (['list', 'watch'] as const).map((verb) => [verb, type] as const));
        const refused = [...reads, ...WRITES].filter(([verb, type, subresource]) => {
          const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
          const group = groupOf(type, naming);
          return !rules.some(
            ({ verbs, apiGroups, resources }) =>
              verbs?.includes(verb) && apiGroups?.includes(group) && resources?.includes(resource),
          );
        });
        assert.deepEqual(
          refused.map(([verb, type, subresource]) => [verb, type.plural, subresource].join(' ')),
          [],
        );
      });
});
