import assert from 'node:assert/strict';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { isReady } from '../pods/pod-state.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { setReady } from '../testing/fake-pods.ts';
import { playNodes } from '../testing/play-nodes.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { statefulSetController } from './stateful-set-controller.ts';

const namespace = 'ns';
const labels = { app: 'db' };
const CLAIMS = coreV1.persistentvolumeclaims;

function statefulSet(image: string, more: object = {}): StatefulSet {
  return {
    metadata: { name: 'db', namespace, generation: 1 },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
      },
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...more,
    },
  } as StatefulSet;
}

const data = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

describe('stateful set controller', () => {
  let server: FakeServer;
  let started: StartedController;
  beforeEach(async () => {
    server = new FakeServer([appsV1.statefulsets, appsV1.controllerrevisions, coreV1.pods, CLAIMS, coreV1.events]);
    started = await startController(statefulSetController, server);
  });
  afterEach(() => started.stop());

  const current = () => server.get(appsV1.statefulsets, 'db', namespace)!;
  const names = () =>
    server
      .all(coreV1.pods)
      .map(({ metadata }) => metadata.name)
      .sort()
      .join(' ');
  const change = (spec: object) => {
    const { metadata, ...rest } = current();
    const generation = (metadata.generation ?? 0) + 1;
    server.put(appsV1.statefulsets, {
      ...rest,
      metadata: { ...metadata, generation },
      spec: { ...current().spec!, ...spec },
    });
  };
  const readyUp = () => {
    for (const pod of server.all(coreV1.pods)) if (!isReady(pod)) setReady(server, pod);
  };
  const settled = (what: string, replicas: number) =>
    waitUntil(what, () => {
      readyUp();
      const { status, metadata } = current();
      return (
        status?.observedGeneration === metadata.generation &&
        status?.readyReplicas === replicas &&
        status.replicas === replicas &&
        status.currentRevision === status.updateRevision &&
        status.updatedReplicas === replicas
      );
    });

  it('creates pods in order, with their own names and claims', async () => {
    server.put(appsV1.statefulsets, statefulSet('a', { volumeClaimTemplates: [data] }));
    for (const wanted of ['db-0', 'db-0 db-1', 'db-0 db-1 db-2']) {
      await waitUntil(wanted, () => names() === wanted);
      readyUp();
    }
    await settled('three are ready', 3);
    const pod = server.get(coreV1.pods, 'db-1', namespace)!;
    assert.equal(pod.spec?.hostname, 'db-1');
    assert.equal(pod.spec?.subdomain, 'db');
    assert.deepEqual(pod.spec?.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
    assert.deepEqual(pod.metadata.labels, {
      app: 'db',
      'statefulset.orch.io/pod-name': 'db-1',
      'apps.orch.io/pod-index': '1',
      'controller-revision-hash': current().status!.updateRevision,
    });
    assert.deepEqual(
      server.all(CLAIMS).map(({ metadata }) => metadata.name),
      ['data-db-0', 'data-db-1', 'data-db-2'],
    );
    assert.deepEqual(server.get(CLAIMS, 'data-db-0', namespace)?.metadata.labels, labels);
    change({ replicas: 1 });
    await settled('one is left', 1);
    assert.equal(server.all(CLAIMS).length, 3);
    await waitUntil('events', () =>
      server.all(coreV1.events).some(({ message }) => message === 'delete Pod db-1 in StatefulSet db successful'),
    );
    const messages = server.all(coreV1.events).map(({ message }) => message);
    assert.ok(messages.includes('create Pod db-0 in StatefulSet db successful'));
    assert.ok(messages.includes('create Claim data-db-0 Pod db-0 in StatefulSet db success'));
  });

  it('replaces pods from the last one down to the partition, and rolls back', async () => {
    server.put(appsV1.statefulsets, statefulSet('a', { podManagementPolicy: 'Parallel' }));
    await settled('all are there', 3);
    const first = current().status!.currentRevision;
    const { template } = statefulSet('b').spec!;
    change({ template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await waitUntil('one is new', () => {
      readyUp();
      const { status } = current();
      return status?.updatedReplicas === 1 && status.readyReplicas === 3 && status.currentReplicas === 2;
    });
    assert.equal(server.get(coreV1.pods, 'db-2', namespace)?.spec?.containers?.[0]?.image, 'b');
    assert.equal(server.get(coreV1.pods, 'db-1', namespace)?.spec?.containers?.[0]?.image, 'a');
    assert.equal(current().status?.currentRevision, first);
    change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } });
    await settled('all are new', 3);
    assert.deepEqual(
      server.all(appsV1.controllerrevisions).map(({ revision }) => revision),
      [1, 2],
    );
    change({ template: statefulSet('a').spec!.template });
    await settled('all are as before', 3);
    assert.equal(current().status?.currentRevision, first);
    assert.deepEqual(
      server.all(appsV1.controllerrevisions).map(({ revision }) => revision),
      [3, 2],
    );
  });

  it('with OnDelete replaces only failed pods and pods that the user deletes', async () => {
    server.put(appsV1.statefulsets, statefulSet('a', { updateStrategy: { type: 'OnDelete' } }));
    await settled('all are there', 3);
    change({ template: statefulSet('b').spec!.template });
    await waitUntil('the template is seen', () => {
      const { status } = current();
      return status?.observedGeneration === 2 && status.updateRevision !== status.currentRevision;
    });
    const pod = server.get(coreV1.pods, 'db-1', namespace)!;
    server.put(coreV1.pods, { ...pod, status: { phase: 'Failed' } });
    await waitUntil('another one', () => {
      const next = server.get(coreV1.pods, 'db-1', namespace);
      return next?.spec?.containers?.[0]?.image === 'b';
    });
    assert.equal(server.get(coreV1.pods, 'db-2', namespace)?.spec?.containers?.[0]?.image, 'a');
    await waitUntil('an event', () => server.all(coreV1.events).some(({ reason }) => reason === 'RecreatingFailedPod'));
  });

  it('deletes claims with the pods and the set according to the retention policy', async () => {
    const policy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
    server.put(
      appsV1.statefulsets,
      statefulSet('a', { volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: policy }),
    );
    const owner = (claim: string) =>
      server
        .get(CLAIMS, claim, namespace)
        ?.metadata.ownerReferences?.map(({ kind }) => kind)
        .join();
    await settled('all are there', 3);
    await waitUntil('they go with the set', () => owner('data-db-2') === 'StatefulSet');
    change({ replicas: 2 });
    await settled('two are left', 2);
    assert.equal(owner('data-db-2'), 'Pod');
    change({ replicas: 3 });
    await waitUntil('it waits for the claim to go', () => current().status?.observedGeneration === 3);
    assert.equal(names(), 'db-0 db-1');
    server.remove(CLAIMS, 'data-db-2', namespace);
    await settled('three again', 3);
    await waitUntil('a new claim', () => owner('data-db-2') === 'StatefulSet');
  });
});

describe('stateful sets, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, statefulSetController],
    '--use-service-account-credentials',
    '--orch-api-qps=0',
  );
  const stop = new AbortController();
  after(() => stop.abort());

  it('create, update and delete pods in order', async () => {
    const { client } = running;
    const seen: string[] = [];
    await playNodes(client, stop.signal, {
      watch: (pods: readonly Pod[]) => {
        const text = pods
          .map(
            ({ metadata, spec }) =>
              `${metadata.name}${metadata.deletionTimestamp ? '-' : ''}:${spec?.containers?.[0]?.image}`,
          )
          .sort()
          .join(' ');
        if (seen.at(-1) !== text) seen.push(text);
      },
    });
    const sets = client.resource(appsV1.statefulsets).in('default');
    const { spec } = statefulSet('a', { volumeClaimTemplates: [data] });
    await sets.create({ metadata: { name: 'db' }, spec: spec! });
    const settled = async (replicas: number, revision: number) => {
      const { status, metadata } = await sets.get('db');
      const revisions = (await client.resource(appsV1.controllerrevisions).in('default').list()).items;
      const newest = revisions.find((each) => each.revision === revision)?.metadata.name;
      return (
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === replicas &&
        status.replicas === replicas &&
        status.updatedReplicas === replicas &&
        status.currentRevision === newest
      );
    };
    await waitUntil('three are available', () => settled(3, 1));
    await sets.patch('db', 'merge', { spec: { template: statefulSet('b').spec!.template } } as never);
    await waitUntil('they are new', () => settled(3, 2));
    await sets.patch('db', 'merge', { spec: { replicas: 1 } });
    await waitUntil('one is left', () => settled(1, 2));
    const states = seen.filter((text) => !text.includes('-:'));
    const order = [
      'db-0:a',
      'db-0:a db-1:a',
      'db-0:a db-1:a db-2:a',
      'db-0:a db-1:a',
      'db-0:a db-1:a db-2:b',
      'db-0:a db-2:b',
      'db-0:a db-1:b db-2:b',
      'db-1:b db-2:b',
      'db-0:b db-1:b db-2:b',
      'db-0:b db-1:b',
      'db-0:b',
    ];
    assert.deepEqual(
      states.filter((text) => text !== ''),
      order,
    );
    assert.equal((await client.resource(CLAIMS).in('default').list()).items.length, 3);
  });
});
