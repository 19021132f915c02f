import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

describe('an eviction', () => {
  let replica: TestReplica;
  let made = 0;

  aroundAll((started) => {
    replica = started;
  }, '--enable-admission-plugins=NodeRestriction');

  before(async () => {
    await replica.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { metadata: { name: 'default' } },
    });
  });

  const merge = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const { status, text } = await replica.call('PATCH', path, { headers, body });
    assert.equal(status, 200, text);
  };

  async function podUnder(ready: boolean, budgets: readonly object[], phase = 'Running'): Promise<string> {
    const name = `p${++made}`;
    const labels = { app: name };
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await replica.call('POST', PODS, { body: { metadata: { name, labels }, spec } });
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    await merge(`${PODS}/${name}/status`, { status: { phase, conditions } });
    for (const [i, status] of budgets.entries()) {
      const budget = `${name}-${i}`;
      const body = { metadata: { name: budget }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
      assert.equal((await replica.call('POST', BUDGETS, { body })).status, 201);
      await merge(`${BUDGETS}/${budget}/status`, { status: { observedGeneration: 1, expectedPods: 3, ...status } });
    }
    return name;
  }

  const kept = { desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 };
  const short = { desiredHealthy: 2, currentHealthy: 1, disruptionsAllowed: 0 };
  const open = { desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 };
  const stale = { ...open, observedGeneration: 0 };
  // The pod, the state of the budgets that cover it, the status of the answer, and the disruptions that each budget
  // still allows.
  const cases: [string, boolean, string, object[], number, number[]][] = [
    ['a ready pod without a budget', true, 'Running', [], 201, []],
    ['a ready pod whose budget allows one disruption', true, 'Running', [open], 201, [0]],
    ['a ready pod whose budget allows no disruption', true, 'Running', [kept], 429, [0]],
    ['a ready pod whose budget is not up to date', true, 'Running', [stale], 429, [1]],
    ['a ready pod under two budgets, one of which refuses', true, 'Running', [open, kept], 429, [1, 0]],
    ['a ready pod under two budgets, one of which is not up to date', true, 'Running', [open, stale], 429, [1, 1]],
    ['a ready pod under two budgets that both refuse', true, 'Running', [stale, kept], 429, [1, 0]],
    ['a ready pod under two budgets that both allow', true, 'Running', [open, open], 201, [0, 0]],
    ['a pod that is not ready, with enough ready pods', false, 'Running', [kept], 201, [0]],
    ['a pod that is not ready, with too few ready pods', false, 'Running', [short], 429, [0]],
    ['a pod that is not ready, without using the budget', false, 'Running', [open], 201, [1]],
    ['a finished pod', true, 'Succeeded', [kept], 201, [0]],
    ['a pending pod', false, 'Pending', [short], 201, [0]],
  ];
  for (const [what, ready, phase, budgets, wanted, allowed] of cases) {
    it(`of ${what} gets ${wanted}`, async () => {
      const name = await podUnder(ready, budgets, phase);
      const body = { metadata: { name } };
      const path = `${PODS}/${name}/eviction`;
      assert.equal((await replica.call('POST', `${path}?dryRun=All`, { body })).status, wanted);
      const { status, text, json } = await replica.call('POST', path, { body });
      assert.equal(status, wanted, text);
      const refusing = budgets.findIndex((budget) => budget !== open);
      if (wanted === 429) assert.match(json.details.causes[0].message, new RegExp(`budget ${name}-${refusing} `));
      const pod = (await replica.call('GET', `${PODS}/${name}`)).json;
      const going = pod.kind === 'Status' || pod.metadata.deletionTimestamp !== undefined;
      assert.equal(going, wanted === 201);
      for (const [i, left] of allowed.entries()) {
        const budget = (await replica.call('GET', `${BUDGETS}/${name}-${i}`)).json;
        assert.equal(budget.status.disruptionsAllowed, left);
      }
    });
  }

  it('that uses the last disruption of a budget updates the condition of the budget', async () => {
    const name = await podUnder(true, [open]);
    assert.equal(
      (await replica.call('POST', `${PODS}/${name}/eviction`, { body: { metadata: { name } } })).status,
      201,
    );
    const { metadata, status } = (await replica.call('GET', `${BUDGETS}/${name}-0`)).json;
    const [{ lastTransitionTime: _, ...condition }] = status.conditions;
    assert.deepEqual(condition, {
      ...{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '', observedGeneration: 1 },
    });
    const managers = metadata.managedFields.filter(({ fieldsV1 }: { fieldsV1: object }) =>
      JSON.stringify(fieldsV1).includes('f:disruptedPods'),
    );
    assert.deepEqual(
      managers.map(({ manager, subresource }: { manager: string; subresource: string }) => `${manager} ${subresource}`),
      [`${testNaming.prefixed('apiserver')} status`],
    );
  });

  it('by a user without permission is refused before the object is read', async () => {
    const name = await podUnder(true, []);
    const group = testNaming.group('rbac.authorization');
    const node = 'system:node:other';
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: group, kind: 'User', name: node }];
    const binding = { metadata: { name: 'node' }, roleRef, subjects };
    const made = await replica.call('POST', `/apis/${group}/v1/clusterrolebindings`, { body: binding });
    assert.equal(made.status, 201, made.text);
    const headers = { 'Impersonate-User': node, 'Impersonate-Group': 'system:nodes' };
    const body = { metadata: { name: 'another' } };
    const refused = await replica.call('POST', `${PODS}/${name}/eviction`, { headers, body });
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /can only evict pods with spec.nodeName set to itself/);
    assert.equal((await replica.call('POST', `${PODS}/${name}/eviction`, { body })).status, 400);
  });

  // Invalid options of the deletion, and the wrong fields.
  const refused: [object, string[]][] = [
    [{ dryRun: ['X'] }, ['dryRun']],
    [{ propagationPolicy: 'Odd' }, ['propagationPolicy']],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, ['propagationPolicy']],
  ];
  for (const [deleteOptions, fields] of refused) {
    it(`is refused with ${JSON.stringify(deleteOptions)}`, async () => {
      const name = await podUnder(true, []);
      const body = { metadata: { name }, deleteOptions };
      const { status, json } = await replica.call('POST', `${PODS}/${name}/eviction`, { body });
      assert.equal(status, 422);
      assert.equal(json.details.kind, 'DeleteOptions');
      assert.deepEqual(
        json.details.causes.map(({ field }: { field: string }) => field),
        fields,
      );
      assert.equal((await replica.call('GET', `${PODS}/${name}`)).json.metadata.deletionTimestamp, undefined);
    });
  }
});

describe('an eviction in release 1.37', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  }, '--emulated-version=1.37');

  it('adds a condition with the reason to the status of the pod, except in a dry run', async () => {
    await replica.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { metadata: { name: 'default' } },
    });
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await replica.call('POST', PODS, { body: { metadata: { name: 'p' }, spec } });
    const targets = async () => {
      const { json } = await replica.call('GET', `${PODS}/p`);
      return (json.status.conditions ?? []).filter(({ type }: { type: string }) => type === 'DisruptionTarget');
    };
    const evict = async (query: string, deleteOptions: object = {}) =>
      (await replica.call('POST', `${PODS}/p/eviction${query}`, { body: { metadata: { name: 'p' }, deleteOptions } }))
        .status;
    assert.equal(await evict('?dryRun=All'), 201);
    assert.deepEqual(await targets(), []);
    assert.equal(await evict('', { preconditions: { resourceVersion: '1' } }), 409);
    assert.deepEqual(await targets(), []);
    const { resourceVersion } = (await replica.call('GET', `${PODS}/p`)).json.metadata;
    assert.equal(await evict('', { preconditions: { resourceVersion } }), 201);
    const [target] = await targets();
    assert.deepEqual([target.status, target.reason], ['True', 'EvictionByEvictionAPI']);
    assert.equal(await evict(''), 201);
    assert.equal((await targets())[0].lastTransitionTime, target.lastTransitionTime);
  });
});
