import assert from 'node:assert/strict';
import { appsV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { isActive, isReady } from '../pods/pod-state.ts';
import { replicaSetController } from '../replica-set/replica-set-controller.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager, startManager } from '../testing/around-manager.ts';
import { type PlayedNodes, playNodes } from '../testing/play-nodes.ts';
import { deploymentController } from './deployment-controller.ts';

const PODS = 12;
const labels = { app: 'web' };

const template = (image: string) => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
});

describe('a leader change in the middle of a rollout', () => {
  const running = aroundManager([serviceAccountController]);
  const stop = new AbortController();
  after(() => stop.abort());

  it('creates no pod twice and keeps the limits of the deployment', async () => {
    const { client, replica } = running;
    const managers = Array.from({ length: 3 }, () =>
      startManager(
        replica,
        [deploymentController, replicaSetController],
        '--leader-elect-resource-name=rollout',
        '--leader-elect-retry-period=100ms',
        '--orch-api-qps=0',
      ),
    );
    try {
      const how: PlayedNodes = {};
      await playNodes(client, stop.signal, how);
      const deployments = client.resource(appsV1.deployments).in('default');
      await deployments.create({
        metadata: { name: 'web' },
        spec: {
          replicas: PODS,
          selector: { matchLabels: labels },
          template: template('a'),
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
        },
      });
      const isDone = async () => {
        const { metadata, status } = await deployments.get('web');
        const all = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
        return status?.observedGeneration === metadata.generation && all.every((count) => count === PODS);
      };
      await waitUntil('it is available', isDone);
      let [least, most, replaced] = [PODS, 0, 0];
      const seen = new Set<string>();
      const stopped: Promise<void>[] = [];
      how.watch = (pods: readonly Pod[]) => {
        const active = pods.filter(isActive);
        least = Math.min(least, active.filter(isReady).length);
        most = Math.max(most, active.length);
        for (const pod of pods) if (pod.spec?.containers?.[0]?.image === 'b') seen.add(pod.metadata.uid!);
        const leader = managers.find(({ manager }) => manager.leads);
        if (leader === undefined || seen.size < (replaced + 1) * 4 || replaced === 2) return;
        replaced++;
        stopped.push(leader.stop());
      };
      await deployments.patch('web', 'merge', { spec: { template: template('b') } } as never);
      await waitUntil('the new image runs', isDone);
      await Promise.all(stopped);
      assert.equal(replaced, 2);
      assert.equal(seen.size, PODS);
      assert.ok(least >= PODS, `${least} were available`);
      assert.ok(most <= PODS + 2, `${most} were there`);
    } finally {
      await Promise.all(managers.map((each) => each.stop()));
    }
  });
});
