import assert from 'node:assert/strict';
import { isNotFound } from '#client/errors.ts';
import { appsV1, coreV1, policyV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { disruptionController } from './disruption-controller.ts';
import { WORKLOADS } from './expected-pods.ts';

const BUDGETS = policyV1.poddisruptionbudgets;
const NOW = Date.parse('2026-05-05T12:00:00Z');
const namespace = 'd';
const labels = { app: 'web' };

interface PodWish {
  readonly ready?: boolean;
  readonly of?: { readonly kind: string; readonly uid: string; readonly apiVersion?: string };
}

class Play {
  readonly server = new FakeServer([BUDGETS, coreV1.pods, coreV1.events, ...WORKLOADS], { strict: true });

  pods(count: number, { ready = true, of }: PodWish = {}, prefix = 'p'): void {
    for (let i = 0; i < count; i++) this.pod(`${prefix}${i}`, { ready, ...(of === undefined ? {} : { of }) });
  }

  pod(name: string, { ready = true, of }: PodWish = {}): void {
    const ownerReferences = of === undefined ? [] : [{ apiVersion: 'apps/v1', name: of.uid, controller: true, ...of }];
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    this.server.put(coreV1.pods, { metadata: { name, namespace, labels, ownerReferences }, status: { conditions } });
  }

  budget(spec: PodDisruptionBudget['spec'], status?: Partial<PodDisruptionBudget['status']>): void {
    this.server.put(BUDGETS, {
      metadata: { name: 'b', namespace, generation: 3 },
      spec: { selector: { matchLabels: labels }, ...spec },
      ...(status === undefined ? {} : { status }),
    } as never);
  }

  get status() {
    return this.server.get(BUDGETS, 'b', namespace)?.status;
  }

  /** Resolves when the healthy, desired, expected and allowed counts and the reason have these values. */
  async becomes(...wanted: readonly [number, number, number, number, string]): Promise<void> {
    const found = () => {
      const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, conditions } = this.status ?? {};
      return [currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, conditions?.[0]?.reason];
    };
    await waitUntil(`the budget is ${wanted}`, () => String(found()) === String(wanted)).catch(() =>
      assert.deepEqual(found(), wanted),
    );
    // If no pods could be counted for a generation, it was not observed.
    assert.equal(this.status?.observedGeneration, wanted[4] === 'SyncFailed' ? undefined : 3);
  }
}

describe('disruption controller', () => {
  const replicaSet = { kind: 'ReplicaSet', uid: 'rs' };
  type Case = [string, (play: Play) => void, [number, number, number, number, string]];
  const cases: Case[] = [
    [
      'with exactly as many healthy pods as required',
      (play) => {
        play.pods(2);
        play.budget({ minAvailable: 2 });
      },
      [2, 2, 2, 0, 'InsufficientPods'],
    ],
    [
      'with one healthy pod more than required',
      (play) => {
        play.pods(3);
        play.budget({ minAvailable: 2 });
      },
      [3, 2, 3, 1, 'SufficientPods'],
    ],
    ['without pods', (play) => play.budget({ minAvailable: 0 }), [0, 0, 0, 0, 'InsufficientPods']],
    [
      'with pods that are not ready',
      (play) => {
        play.pods(2);
        play.pods(2, { ready: false }, 'q');
        play.budget({ minAvailable: 1 });
      },
      [2, 1, 4, 1, 'SufficientPods'],
    ],
    [
      'with a percentage, for pods without a controller',
      (play) => {
        play.pods(2);
        play.budget({ minAvailable: '50%' });
      },
      [2, 0, 0, 0, 'InsufficientPods'],
    ],
    [
      'with a percentage, for the pods of a replica set',
      (play) => {
        play.server.put(appsV1.replicasets, {
          metadata: { name: 'rs', namespace, uid: 'rs' },
          spec: { replicas: 5 },
        } as never);
        play.pods(4, { of: replicaSet });
        play.budget({ minAvailable: '50%' });
      },
      [4, 3, 5, 1, 'SufficientPods'],
    ],
    [
      'for the pods of a deployment with two replica sets',
      (play) => {
        play.server.put(appsV1.deployments, {
          metadata: { name: 'web', namespace, uid: 'web' },
          spec: { replicas: 4 },
        } as never);
        const ownerReferences = [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web', controller: true },
        ];
        for (const name of ['rs', 'old'])
          play.server.put(appsV1.replicasets, {
            metadata: { name, namespace, uid: name, ownerReferences },
            spec: { replicas: 9 },
          } as never);
        play.pods(3, { of: replicaSet });
        play.pods(1, { of: { kind: 'ReplicaSet', uid: 'old' } }, 'q');
        play.budget({ maxUnavailable: 1 });
      },
      [4, 3, 4, 1, 'SufficientPods'],
    ],
    [
      'with a maxUnavailable percentage',
      (play) => {
        play.server.put(appsV1.statefulsets, {
          metadata: { name: 'ss', namespace, uid: 'ss' },
          spec: { replicas: 10 },
        } as never);
        play.pods(9, { of: { kind: 'StatefulSet', uid: 'ss' } });
        play.budget({ maxUnavailable: '25%' });
      },
      [9, 7, 10, 2, 'SufficientPods'],
    ],
    [
      'with one recent eviction and one eviction that never happened',
      (play) => {
        play.pods(4);
        const disruptedPods = { p0: '2026-05-05T11:59:00Z', p1: '2026-05-05T11:50:00Z', gone: '2026-05-05T11:59:00Z' };
        play.budget({ minAvailable: 1 }, { disruptedPods } as never);
      },
      [3, 1, 4, 2, 'SufficientPods'],
    ],
    [
      'for pods whose expected number is unknown',
      (play) => {
        play.pods(2, { of: { kind: 'Unknown', uid: 'u', apiVersion: 'example.com/v1' } });
        play.budget({ maxUnavailable: 1 }, {
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
          disruptionsAllowed: 1,
        } as never);
      },
      [2, 1, 2, 0, 'SyncFailed'],
    ],
  ];
  for (const [what, prepare, wanted] of cases)
    it(`sets the status of a budget ${what}`, async () => {
      const play = new Play();
      prepare(play);
      const controller = await startController(disruptionController, play.server, { now: () => NOW });
      await play.becomes(...wanted);
      await controller.stop();
      assert.deepEqual(
        play.server.writes.map(({ what }) => what).filter((what) => !what.includes('events')),
        [`PUT poddisruptionbudgets/${namespace}/b/status`],
      );
      if (what.includes('on its way')) assert.deepEqual(play.status?.disruptedPods, { p0: '2026-05-05T11:59:00Z' });
    });

  it('updates the status when pods, budgets and workloads change', async () => {
    const play = new Play();
    const replicas = (count: number) =>
      play.server.put(appsV1.replicasets, {
        metadata: { name: 'rs', namespace, uid: 'rs' },
        spec: { replicas: count },
      } as never);
    replicas(2);
    play.pods(2, { of: replicaSet });
    play.budget({ maxUnavailable: 1 });
    const controller = await startController(disruptionController, play.server, { now: () => NOW });
    await play.becomes(2, 1, 2, 1, 'SufficientPods');
    play.pod('p0', { ready: false, of: replicaSet });
    await play.becomes(1, 1, 2, 0, 'InsufficientPods');
    replicas(1);
    await play.becomes(1, 0, 1, 1, 'SufficientPods');
    play.server.remove(coreV1.pods, 'p1', namespace);
    await play.becomes(0, 0, 1, 0, 'InsufficientPods');
    await controller.stop();
  });

  const told: [string, (play: Play) => void, string][] = [
    ['matches no pods', (play) => play.budget({ minAvailable: 1 }), 'Normal NoPods No matching pods found'],
    [
      'matches pods of an unknown kind',
      (play) => {
        play.pods(1, { of: { kind: 'Gizmo', uid: 'g', apiVersion: 'example.com/v1' } });
        play.budget({ maxUnavailable: 1 });
      },
      'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: no matches for kind "Gizmo" in version "example.com/v1"',
    ],
    [
      'matches pods whose owner has no scale subresource',
      (play) => {
        play.pods(1, { of: { kind: 'Pod', uid: 'g', apiVersion: 'v1' } });
        play.budget({ maxUnavailable: 1 });
      },
      'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: pods does not implement the scale subresource',
    ],
    [
      'matches pods of a deleted replica set',
      (play) => {
        play.pods(1, { of: replicaSet });
        play.budget({ maxUnavailable: 1 });
      },
      'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: found no controllers for pod "p0"',
    ],
  ];
  for (const [about, arrange, wanted] of told)
    it(`records an event for a budget that ${about}`, async () => {
      const play = new Play();
      arrange(play);
      const controller = await startController(disruptionController, play.server, { now: () => NOW });
      const texts = () =>
        play.server.all(coreV1.events).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
      await waitUntil(wanted, () => texts().includes(wanted));
      await controller.stop();
    });
});

describe('disruption controller, with an API server', () => {
  const running = aroundManager([disruptionController], '--use-service-account-credentials');

  it('allows as many evictions as the budget', async () => {
    const { client } = running;
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
    const pods = client.resource(coreV1.pods).in('default');
    const spec = { nodeName: 'n', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] };
    for (const name of ['a', 'b']) {
      await pods.create({ metadata: { name, labels }, spec } as never);
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await pods.patch(name, 'merge', { status }, { subresource: 'status' });
    }
    const budgets = client.resource(BUDGETS).in('default');
    await budgets.create({ metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } });
    const status = async () => (await budgets.get('b')).status;
    await waitUntil('one may go', async () => (await status())?.disruptionsAllowed === 1);
    const evict = async (name: string) =>
      (
        await running.replica.call('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, {
          body: { metadata: { name } },
        })
      ).status;
    assert.equal(await evict('a'), 201);
    await waitUntil('it is gone', () => pods.get('a').then(() => false, isNotFound));
    await waitUntil('none may go', async () => {
      const { expectedPods, disruptionsAllowed } = (await status()) ?? {};
      return expectedPods === 1 && disruptionsAllowed === 0;
    });
    assert.equal(await evict('b'), 429);

    await budgets.create({ metadata: { name: 'none' }, spec: { selector: { matchLabels: { no: 'pods' } } } });
    const events = client.resource(coreV1.events).in('default');
    const fieldSelector = 'involvedObject.name=none,reason=NoPods';
    await waitUntil('it says so', async () => (await events.list({ fieldSelector })).items.length > 0);
  });
});
