import assert from 'node:assert/strict';
import { rbacAuthorizationV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { ClusterRole } from '#schema/generated/rbac.authorization.v1.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { gather, roleAggregationController } from './role-aggregation-controller.ts';

const rule = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs });
const role = (name: string, labels: Record<string, string>, ...rules: object[]) =>
  ({ metadata: { name, labels }, rules }) as ClusterRole;
const gathering = (name: string, ...selectors: object[]) =>
  ({ metadata: { name }, rules: [], aggregationRule: { clusterRoleSelectors: selectors } }) as unknown as ClusterRole;

describe('role aggregation controller', () => {
  const all = { matchLabels: { agg: 'x' } };
  const roles = [
    role('b', { agg: 'x' }, rule('pods', 'get'), rule('services', 'list')),
    role('a', { agg: 'x' }, rule('secrets', 'get'), rule('pods', 'get')),
    role('c', { agg: 'y' }, rule('nodes', 'get')),
  ];
  for (const [what, into, gathered] of [
    ['in the order of role names, each once', gathering('all', all), ['secrets', 'pods', 'services']],
    [
      'of several selectors',
      gathering('all', all, { matchLabels: { agg: 'y' } }),
      ['secrets', 'pods', 'services', 'nodes'],
    ],
    [
      'in the order of selectors',
      gathering('all', { matchLabels: { agg: 'y' } }, all),
      ['nodes', 'secrets', 'pods', 'services'],
    ],
    ['of no role without selectors', gathering('all'), []],
  ] as const)
    it(`aggregates rules ${what}`, () => {
      assert.deepEqual(
        gather(into, [...roles, into]).map(({ resources }) => resources?.[0]),
        gathered,
      );
    });

  it('follows changes of the roles and reverts changes of the aggregated role', async () => {
    const server = new FakeServer([rbacAuthorizationV1.clusterroles], { strict: true });
    for (const one of [...roles, gathering('all', all)]) server.put(rbacAuthorizationV1.clusterroles, one);
    const controller = await startController(roleAggregationController, server);
    const rules = () =>
      server
        .get(rbacAuthorizationV1.clusterroles, 'all')
        ?.rules?.map(({ resources }) => resources?.[0])
        .join();
    await waitUntil('it has all', () => rules() === 'secrets,pods,services');
    server.remove(rbacAuthorizationV1.clusterroles, 'a');
    await waitUntil('what is gone is gone', () => rules() === 'pods,services');
    server.put(rbacAuthorizationV1.clusterroles, { ...gathering('all', all), rules: [rule('x', '*')] });
    await waitUntil('it is as it was', () => rules() === 'pods,services');
    const before = server.writes.length;
    server.put(rbacAuthorizationV1.clusterroles, role('other', {}, rule('y')));
    await controller.stop();
    assert.equal(server.writes.length, before);
  });
});

describe('role aggregation controller, with an API server', () => {
  const running = aroundManager([roleAggregationController], '--use-service-account-credentials');

  it('fills the aggregated built-in roles', async () => {
    const roles = running.client.resource(rbacAuthorizationV1.clusterroles);
    await roles.create(role('mine', { 'rbac.authorization.orch.io/aggregate-to-view': 'true' }, rule('mine', 'get')));
    await waitUntil('view has it', async () =>
      (await roles.get('view')).rules?.some(({ resources }) => resources?.includes('mine')),
    );
    await roles.create({ ...gathering('empty', { matchLabels: { no: 'role' } }), rules: [rule('own', 'get')] });
    const [applied] = (await roles.get('view')).metadata.managedFields ?? [];
    assert.deepEqual(
      [applied?.manager, applied?.operation, applied?.fieldsV1],
      ['clusterrole-aggregation-controller', 'Apply', { 'f:rules': {} }],
    );
    assert.deepEqual((await roles.get('empty')).rules, [rule('own', 'get')]);
  });
});
