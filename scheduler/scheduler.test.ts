import assert from 'node:assert/strict';
import type { Client } from '#client/client.ts';
import { coreV1, policyV1, schedulingV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '#controllers/testing/around-manager.ts';
import { scheduler } from './scheduler.ts';
import { makeNode, makePod, type PodWish } from './testing/objects.ts';

describe('scheduler, with an API server', function () {
  this.timeout(30_000);
  const running = aroundManager([scheduler], '--leader-elect=false', '--orch-api-qps=0');

  const pods = () => running.client.resource(coreV1.pods).in('default');
  const create = (client: Client, name: string, wish: PodWish = {}) => {
    const { metadata, spec } = makePod(name, wish);
    const { uid: _uid, ...rest } = metadata;
    const own = { terminationGracePeriodSeconds: 0, automountServiceAccountToken: false };
    return client
      .resource(coreV1.pods)
      .in('default')
      .create({ metadata: rest, spec: { ...spec!, ...own } });
  };
  const nodeOf = async (name: string) => (await pods().get(name)).spec?.nodeName ?? '';
  const conditionOf = async (name: string) =>
    (await pods().get(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const makeNodes = async (...nodes: ReturnType<typeof makeNode>[]) => {
    for (const node of nodes) {
      await running.client.resource(coreV1.nodes).create(node);
      // A new node carries a taint until a controller has seen it ready.
      await running.client
        .resource(coreV1.nodes)
        .patch(node.metadata.name!, 'merge', { spec: { taints: node.spec?.taints ?? [] } });
    }
  };

  before(async () => {
    await running.client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
  });

  afterEach(async () => {
    await pods().deleteCollection({ gracePeriodSeconds: 0 });
    await running.client.resource(coreV1.nodes).deleteCollection();
    await running.client.resource(policyV1.poddisruptionbudgets).in('default').deleteCollection();
  });

  it('assigns pods and records an event', async () => {
    await makeNodes(makeNode('a', { unschedulable: true }), makeNode('b'));
    await create(running.client, 'p');
    await waitUntil('the scheduler has acted', async () => (await nodeOf('p')) === 'b');
    await waitUntil('the scheduler has acted', async () => {
      const { items } = await running.client.resource(coreV1.events).in('default').list();
      return items.some(
        ({ reason, message }) => reason === 'Scheduled' && message === 'Successfully assigned default/p to b',
      );
    });
  });

  it('reports why no node fits, and assigns the pod when a node fits', async () => {
    await makeNodes(makeNode('a', { allocatable: { cpu: '1' } }));
    await create(running.client, 'p', { requests: { cpu: '2' } });
    await waitUntil('the scheduler has acted', async () => (await conditionOf('p'))?.reason === 'Unschedulable');
    assert.equal(
      (await conditionOf('p'))?.message,
      '0/1 nodes are available: 1 Insufficient cpu. ' +
        'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    );
    await makeNodes(makeNode('b'));
    await waitUntil('the scheduler has acted', async () => (await nodeOf('p')) === 'b');
  });

  it('ignores pods of another scheduler', async () => {
    await makeNodes(makeNode('a'));
    await create(running.client, 'other', { spec: { schedulerName: 'other' } });
    await create(running.client, 'p');
    await waitUntil('the scheduler has acted', async () => (await nodeOf('p')) === 'a');
    assert.equal(await nodeOf('other'), '');
  });

  it('counts its work in metrics with the usual names', async () => {
    await makeNodes(makeNode('a'));
    await create(running.client, 'big', { requests: { cpu: '99' } });
    await create(running.client, 'p');
    await waitUntil('the scheduler has acted', async () => (await nodeOf('p')) === 'a');
    const value = async (series: string) => {
      const line = (await running.metrics.text()).split('\n').find((one) => one.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    };
    const attempts = (result: string) =>
      `scheduler_schedule_attempts_total{profile="default-scheduler",result="${result}"}`;
    await waitUntil('it waits', async () => (await value('scheduler_pending_pods{queue="unschedulable"}')) === 1);
    assert.ok((await value(attempts('scheduled'))) >= 1);
    assert.ok((await value(attempts('unschedulable'))) >= 1);
    assert.equal(await value('scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"}'), 1);
    assert.ok((await value('scheduler_pod_scheduling_attempts_count')) >= 1);
  });

  it('preempts a pod with a lower priority', async () => {
    await makeNodes(makeNode('a'));
    const { client } = running;
    const classes = client.resource(schedulingV1.priorityclasses);
    await classes.create({ metadata: { name: 'high' }, value: 1000 });
    await create(client, 'low', { requests: { cpu: '3' } });
    await waitUntil('the scheduler has acted', async () => (await nodeOf('low')) === 'a');
    await create(client, 'high', { requests: { cpu: '3' }, spec: { priorityClassName: 'high' } });
    await waitUntil('the scheduler has acted', async () => (await nodeOf('high')) === 'a');
    await assert.rejects(pods().get('low'));
    await classes.delete('high');
  });

  it('never assigns more than the resources of a node, even for many pods at once', async () => {
    await makeNodes(makeNode('a'), makeNode('b'));
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => create(running.client, `p${i}`, { requests: { cpu: '1' } })),
    );
    await waitUntil(
      'the scheduler has acted',
      async () => (await pods().list()).items.filter(({ spec }) => spec?.nodeName).length === 8,
    );
    const { items } = await pods().list();
    const count = (node: string) => items.filter(({ spec }) => spec?.nodeName === node).length;
    assert.deepEqual([count('a'), count('b')], [4, 4]);
  });
});
