import assert from 'node:assert/strict';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { DaemonSet } from '#schema/generated/apps.v1.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { isActive, isReady } from '../pods/pod-state.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { setReady } from '../testing/fake-pods.ts';
import { type PlayedNodes, playNodes } from '../testing/play-nodes.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { daemonSetController } from './daemon-set-controller.ts';
import { nodeOf } from './placement.ts';

const namespace = 'ns';
const labels = { app: 'agent' };

const template = (image: string) => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
});

function daemonSet(image: string, rollingUpdate: object = { maxUnavailable: 1 }): DaemonSet {
  return {
    metadata: { name: 'agent', namespace, generation: 1 },
    spec: {
      selector: { matchLabels: labels },
      template: template(image),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      revisionHistoryLimit: 10,
    },
  } as DaemonSet;
}

const node = (name: string, more: object = {}) => ({ metadata: { name, ...more } }) as Node;

describe('daemon set controller', () => {
  let server: FakeServer;
  let started: StartedController;
  beforeEach(async () => {
    server = new FakeServer([appsV1.daemonsets, appsV1.controllerrevisions, coreV1.pods, coreV1.nodes, coreV1.events]);
    for (const name of ['n1', 'n2', 'n3']) server.put(coreV1.nodes, node(name));
    started = await startController(daemonSetController, server);
  });
  afterEach(() => started.stop());

  const status = () => server.get(appsV1.daemonsets, 'agent', namespace)?.status;
  const where = () => server.all(coreV1.pods).filter(isActive).map(nodeOf).sort().join(' ');
  const change = (spec: object) => {
    const current = server.get(appsV1.daemonsets, 'agent', namespace)!;
    const generation = (current.metadata.generation ?? 0) + 1;
    server.put(appsV1.daemonsets, {
      ...current,
      metadata: { ...current.metadata, generation },
      spec: { ...current.spec!, ...spec },
    });
  };
  const readyUp = () => {
    for (const pod of server.all(coreV1.pods))
      if (!isReady(pod) && isActive(pod))
        setReady(server, { ...pod, spec: { containers: [], ...pod.spec, nodeName: nodeOf(pod)! } } as Pod);
  };
  const settled = (what: string, count: number) =>
    waitUntil(what, () => {
      readyUp();
      const current = status();
      return (
        current?.numberAvailable === count &&
        current.observedGeneration === server.get(appsV1.daemonsets, 'agent', namespace)?.metadata.generation &&
        current.updatedNumberScheduled === count &&
        current.desiredNumberScheduled === count &&
        server.all(coreV1.pods).length === count
      );
    });

  it('runs one pod on every node when nodes are added, removed or tainted', async () => {
    server.put(appsV1.daemonsets, daemonSet('a'));
    await settled('one on each', 3);
    assert.equal(where(), 'n1 n2 n3');
    const [pod] = server.all(coreV1.pods);
    assert.ok(pod!.metadata.labels?.['controller-revision-hash']);
    assert.ok(pod!.spec?.tolerations?.some(({ key }) => key === 'node.orch.io/unschedulable'));
    server.put(coreV1.nodes, node('n4'));
    await settled('one on the new node', 4);
    server.put(coreV1.nodes, { ...node('n4'), spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } } as Node);
    await settled('none on the tainted one', 3);
    server.put(coreV1.nodes, { ...node('n1'), spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } as Node);
    await waitUntil('it is misplaced', () => status()?.numberMisscheduled === 1);
    assert.equal(where(), 'n1 n2 n3');
    server.put(coreV1.nodes, node('n5'));
    await waitUntil('a pod for it', () => where() === 'n1 n2 n3 n5');
    server.remove(coreV1.nodes, 'n5');
    await waitUntil('a pod that waits for a node that has gone goes', () => where() === 'n1 n2 n3');
  });

  it('replaces failed pods and records an event', async () => {
    server.put(appsV1.daemonsets, daemonSet('a'));
    await settled('one on each', 3);
    const [pod] = server.all(coreV1.pods);
    server.put(coreV1.pods, { ...pod!, status: { phase: 'Failed' } });
    await waitUntil(
      'it is replaced',
      () => server.get(coreV1.pods, pod!.metadata.name!, namespace) === undefined && where() === 'n1 n2 n3',
    );
    await waitUntil('an event', () => server.all(coreV1.events).some(({ reason }) => reason === 'FailedDaemonPod'));
  });

  for (const [how, strategy] of [
    ['one after the other', { maxUnavailable: 1 }],
    ['with surge', { maxSurge: '50%', maxUnavailable: 0 }],
  ] as const)
    it(`replaces pods when the template changes, ${how}`, async () => {
      server.put(appsV1.daemonsets, daemonSet('a', strategy));
      await settled('one on each', 3);
      change({ template: template('b') });
      await settled('new ones', 3);
      assert.ok(server.all(coreV1.pods).every(({ spec }) => spec?.containers?.[0]?.image === 'b'));
      assert.deepEqual(
        server.all(appsV1.controllerrevisions).map(({ revision }) => revision),
        [1, 2],
      );
      change({ template: template('a'), updateStrategy: { type: 'OnDelete' } });
      await waitUntil(
        'it is seen',
        () => status()?.observedGeneration === 3 && (status()?.updatedNumberScheduled ?? 0) === 0,
      );
      const [pod] = server.all(coreV1.pods);
      server.remove(coreV1.pods, pod!.metadata.name!, namespace);
      await waitUntil('the deleted one comes back as it was', () =>
        server.all(coreV1.pods).some(({ spec }) => spec?.containers?.[0]?.image === 'a'),
      );
    });
});

describe('daemon sets, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, daemonSetController],
    '--use-service-account-credentials',
    '--orch-api-qps=0',
  );
  const stop = new AbortController();
  after(() => stop.abort());

  it('roll out with surge and never with fewer available pods', async () => {
    const { client } = running;
    const nodes = client.resource(coreV1.nodes);
    for (const name of ['n1', 'n2', 'n3', 'n4']) await nodes.create({ metadata: { name } });
    // Other controllers handle the taints of new nodes. They do not run here.
    for (const name of ['n1', 'n2', 'n3', 'n4']) await nodes.patch(name, 'merge', { spec: { taints: null } } as never);
    const how: PlayedNodes = {};
    await playNodes(client, stop.signal, how);
    const sets = client.resource(appsV1.daemonsets).in('default');
    const { spec } = daemonSet('a', { maxSurge: 2, maxUnavailable: 0 });
    await sets.create({ metadata: { name: 'agent' }, spec: spec! });
    const settled = async (generation: number) => {
      const { status } = await sets.get('agent');
      return (
        status?.observedGeneration === generation &&
        status.numberAvailable === 4 &&
        status.updatedNumberScheduled === 4 &&
        (await client.resource(coreV1.pods).in('default').list()).items.length === 4
      );
    };
    await waitUntil('one on each', () => settled(1));
    let least = 4;
    let most = 4;
    how.watch = (pods) => {
      const active = pods.filter(isActive);
      least = Math.min(least, new Set(active.filter(isReady).map(nodeOf)).size);
      most = Math.max(most, active.length);
    };
    await sets.patch('agent', 'merge', { spec: { template: template('b') } } as never);
    await waitUntil('new ones', () => settled(2));
    assert.equal(least, 4);
    assert.ok(most <= 6, `${most} were there`);
    const history = (await client.resource(appsV1.controllerrevisions).in('default').list()).items;
    assert.deepEqual(history.map(({ revision }) => revision).sort(), [1, 2]);
  });
});
