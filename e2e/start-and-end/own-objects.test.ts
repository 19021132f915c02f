import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '#server/testing/around-all.ts';
import { startReplica, type TestAnswer, type TestReplica, testNaming } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const api = (group: string, version: string): string => `/apis/${testNaming.apiVersion(group, version)}`;
const RBAC = api('rbac.authorization', 'v1');
const FLOW = api('flowcontrol.apiserver', 'v1beta2');
const DEFAULT = '/api/v1/namespaces/default';
const SYSTEM = `/api/v1/namespaces/${testNaming.prefixed('system')}`;
const SLICES = `${api('discovery', 'v1')}/namespaces/default/endpointslices`;
const SERVER = testNaming.prefixed('apiserver');
const PRODUCER = 'api-priority-and-fairness-config-producer-v1';
const CONSUMER = 'api-priority-and-fairness-config-consumer-v1';

describe('objects that the server creates', () => {
  let replica: TestReplica;
  let etcd: EtcdProcess;

  aroundAll((started, store) => {
    replica = started;
    etcd = store;
  });

  /** Waits until an object exists and passes the check. */
  async function found(
    path: string,
    passes: (object: TestAnswer['json']) => boolean = () => true,
  ): Promise<TestAnswer['json']> {
    const end = performance.now() + 20_000;
    for (;;) {
      const { status, json, text } = await replica.call('GET', path);
      if (status === 200 && passes(json)) return json;
      assert.ok(performance.now() < end, text);
      await sleep(50);
    }
  }

  /**
   * The names of the members of an object's top-level fields (such as `spec`) that a manager owns, one line for each
   * manager.
   */
  function owners(object: TestAnswer['json']): string[] {
    return (object.metadata.managedFields ?? [])
      .map(({ manager, operation, apiVersion, subresource = '', fieldsV1 }: TestAnswer['json']) => {
        const members = Object.entries(fieldsV1).flatMap(([top, below]) => {
          const names = Object.keys(below as object).filter((name) => name !== '.');
          return names.length === 0 ? [top] : names.map((name) => `${top}.${name}`);
        });
        return `${manager} ${operation} ${apiVersion} ${subresource}: ${members.sort().join(' ').replaceAll('f:', '')}`;
      })
      .sort();
  }

  const rbac = `${SERVER} Update ${testNaming.apiVersion('rbac.authorization', 'v1')} :`;
  const flow = testNaming.apiVersion('flowcontrol.apiserver', 'v1beta2');
  const rows: [path: string, expected: string[]][] = [
    ['/api/v1/namespaces/default', [`${SERVER} Update v1 : metadata.labels`]],
    [`${RBAC}/clusterroles/cluster-admin`, [`${rbac} metadata.annotations metadata.labels rules`]],
    [
      `${RBAC}/clusterroles/view`,
      [`${rbac} aggregationRule.clusterRoleSelectors metadata.annotations metadata.labels`],
    ],
    [`${RBAC}/clusterrolebindings/cluster-admin`, [`${rbac} metadata.annotations metadata.labels roleRef subjects`]],
    [
      `${api('scheduling', 'v1')}/priorityclasses/system-node-critical`,
      [`${SERVER} Update ${testNaming.apiVersion('scheduling', 'v1')} : description preemptionPolicy value`],
    ],
    [
      `${FLOW}/flowschemas/exempt`,
      [
        `${CONSUMER} Update ${flow} status: status.conditions`,
        `${PRODUCER} Update ${flow} : metadata.annotations spec.matchingPrecedence spec.priorityLevelConfiguration spec.rules`,
      ],
    ],
    [
      `${FLOW}/prioritylevelconfigurations/system`,
      [`${PRODUCER} Update ${flow} : metadata.annotations spec.limited spec.type`],
    ],
    [
      `${api('apiregistration', 'v1')}/apiservices/v1.apps`,
      [
        `${SERVER} Update ${testNaming.apiVersion('apiregistration', 'v1')} : metadata.labels spec.group spec.groupPriorityMinimum spec.version spec.versionPriority`,
      ],
    ],
    [
      `${DEFAULT}/services/${testNaming.product}`,
      [
        `${SERVER} Update v1 : metadata.labels spec.clusterIP spec.internalTrafficPolicy spec.ipFamilyPolicy spec.ports spec.sessionAffinity spec.type`,
      ],
    ],
    [`${DEFAULT}/endpoints/${testNaming.product}`, [`${SERVER} Update v1 : metadata.labels subsets`]],
    [
      `${SLICES}/${testNaming.product}`,
      [`${SERVER} Update ${testNaming.apiVersion('discovery', 'v1')} : addressType endpoints metadata.labels ports`],
    ],
    [
      `${SYSTEM}/configmaps/extension-apiserver-authentication`,
      [
        `${SERVER} Update v1 : data.client-ca-file ${['allowed-names', 'client-ca-file', 'extra-headers-prefix', 'group-headers', 'username-headers'].map((what) => `data.requestheader-${what}`).join(' ')}`,
      ],
    ],
    [`${DEFAULT}/limitranges/limits`, [`${SERVER} Update v1 : spec.limits`]],
  ];
  for (const [path, expected] of rows) {
    it(`record the server as the owner of their fields: ${path}`, async () => {
      assert.deepEqual(owners(await found(path, (object) => owners(object).length === expected.length)), expected);
    });
  }

  it('keep the changes of a user that the server does not revert', async () => {
    const role = `${RBAC}/clusterroles/system:basic-user`;
    const schema = `${FLOW}/flowschemas/global-default`;
    const patch = async (path: string, body: object) => {
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      const answer = await replica.call('PATCH', `${path}?fieldManager=me`, { headers, body });
      assert.equal(answer.status, 200, answer.text);
    };
    await patch(role, { metadata: { annotations: { mine: '1' } }, rules: [] });
    await patch(schema, { metadata: { labels: { mine: '1' } } });
    const generation = (await found(schema)).metadata.generation;
    const late = await startReplica(etcd.endpoint);
    await late.stop();
    const restored = await found(role, ({ rules }) => rules.length > 0);
    assert.deepEqual(owners(restored), [
      `me Update ${testNaming.apiVersion('rbac.authorization', 'v1')} : metadata.annotations`,
      `${rbac} metadata.annotations metadata.labels rules`,
    ]);
    assert.equal(restored.metadata.annotations.mine, '1');
    const kept = await found(schema);
    assert.equal(kept.metadata.labels.mine, '1');
    assert.equal(kept.metadata.generation, generation);
  });
});
