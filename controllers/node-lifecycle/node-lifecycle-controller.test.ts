import assert from 'node:assert/strict';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Node } from '#schema/generated/core.v1.ts';
import { formatMicroTime, formatTime } from '#schema/values/time.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { taintEvictionController } from '../taint-eviction/taint-eviction-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { nodeLifecycleController } from './node-lifecycle-controller.ts';

const PERIOD_MS = 50;

describe('node lifecycle controller, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, nodeLifecycleController, taintEvictionController],
    '--use-service-account-credentials',
    `--node-monitor-period=${PERIOD_MS}ms`,
    '--node-monitor-grace-period=1500ms',
    '--node-eviction-rate=100',
  );
  const nodes = () => running.client.resource(coreV1.nodes);
  const taintsOf = ({ spec }: Node) => (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
  const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');

  async function register(name: string): Promise<() => Promise<unknown>> {
    await nodes().create({ metadata: { name, labels: { 'orch.io/os': 'linux' } } });
    const heartbeat = () => {
      const now = formatTime(Date.now());
      const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
      return nodes().patch(name, 'strategic', { status: { conditions: [ready] } }, { subresource: 'status' });
    };
    await heartbeat();
    return heartbeat;
  }

  it('evicts the pods of a silent node, and removes the taint when the node is back', async () => {
    const { client } = running;
    const leases = client.resource(coordinationV1.leases).in('orch-node-lease');
    const accounts = client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
    const renew = setInterval(() => {
      const renewTime = formatMicroTime(Date.now());
      void leases.patch('alive', 'merge', { spec: { renewTime } }).catch(() => {});
    }, 100);
    try {
      await leases.create({ metadata: { name: 'alive' }, spec: { leaseDurationSeconds: 40 } });
      const [heartbeat] = await Promise.all([register('silent'), register('alive')]);
      await waitUntil('it may be scheduled on', async () => taintsOf(await nodes().get('silent')).length === 0);
      const labelOf = async () => (await nodes().get('silent')).metadata.labels?.['beta.orch.io/os'];
      await waitUntil('it has the label of before', async () => (await labelOf()) === 'linux');
      const pods = client.resource(coreV1.pods).in('default');
      const containers = [{ name: 'c', image: 'i' }];
      for (const [name, tolerations] of [
        ['goes', [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }]],
        ['stays', [{ operator: 'Exists' }]],
      ] as const) {
        await pods.create({
          metadata: { name },
          spec: { containers, nodeName: 'silent', tolerations: [...tolerations] },
        });
        const conditions = [{ type: 'Ready', status: 'True' }];
        await pods.patch(name, 'strategic', { status: { phase: 'Running', conditions } }, { subresource: 'status' });
      }
      await waitUntil('its pod is to go', async () => Boolean((await pods.get('goes')).metadata.deletionTimestamp));
      const lost = await nodes().get('silent');
      assert.deepEqual([readyOf(lost)?.status, readyOf(lost)?.reason], ['Unknown', 'NodeStatusUnknown']);
      assert.deepEqual(taintsOf(lost), ['node.orch.io/unreachable:NoExecute', 'node.orch.io/unreachable:NoSchedule']);
      assert.equal(readyOf(await nodes().get('alive'))?.status, 'True');
      const isReady = async () =>
        (await pods.get('stays')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
      await waitUntil('its pods are not ready', async () => (await isReady()) === 'False');
      await heartbeat!();
      await waitUntil('it has no taints', async () => taintsOf(await nodes().get('silent')).length === 0);
      assert.equal((await pods.get('stays')).metadata.deletionTimestamp ?? undefined, undefined);
      const events = async () =>
        (await client.resource(coreV1.events).in('default').list()).items.map(({ reason }) => reason);
      const metrics = await running.metrics.text();
      assert.match(metrics, /node_collector_evictions_total\{zone=""\} 1\n/);
      assert.match(metrics, /node_collector_zone_size\{zone=""\} 2\n/);
      assert.match(metrics, /taint_eviction_controller_pod_deletions_total 1\n/);
      for (const reason of ['RegisteredNode', 'NodeNotReady', 'TaintManagerEviction'])
        await waitUntil(`${reason} is there`, async () => (await events()).includes(reason));
    } finally {
      clearInterval(renew);
    }
  });

  it('taints an unschedulable node', async () => {
    await nodes().patch('alive', 'merge', { spec: { unschedulable: true } });
    const taint = 'node.orch.io/unschedulable:NoSchedule';
    await waitUntil('it is tainted', async () => taintsOf(await nodes().get('alive')).includes(taint));
  });
});
