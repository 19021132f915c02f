import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Deployment, ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { isActive, isReady } from '../pods/pod-state.ts';
import { replicaSetController } from '../replica-set/replica-set-controller.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { setReady } from '../testing/fake-pods.ts';
import { type PlayedNodes, playNodes } from '../testing/play-nodes.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { deploymentController } from './deployment-controller.ts';

const namespace = 'ns';
const labels = { app: 'web' };
const REVISION = 'deployment.orch.io/revision';

const template = (image: string) => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
});

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

function deployment(image: string, more: object = {}): Deployment {
  return {
    metadata: { name: 'web', namespace, generation: 1 },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: template(image),
      strategy: rolling(1, 0),
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...more,
    },
  } as Deployment;
}

const imageOf = ({ spec }: Pod | PodTemplateSpec) => spec?.containers?.[0]?.image;

describe('deployment controller', () => {
  let server: FakeServer;
  let started: StartedController[];
  beforeEach(async () => {
    server = new FakeServer([appsV1.deployments, appsV1.replicasets, coreV1.pods, coreV1.events], { strict: false });
    started = [
      await startController(deploymentController, server),
      await startController(replicaSetController, server),
    ];
  });
  afterEach(() => Promise.all(started.map((each) => each.stop())));

  const current = () => server.get(appsV1.deployments, 'web', namespace)!;
  const sets = () => server.all(appsV1.replicasets);
  const setOf = (image: string) => sets().find(({ spec }) => imageOf(spec?.template ?? {}) === image);
  const change = (spec: object) => {
    const { metadata, ...rest } = current();
    const generation = (metadata.generation ?? 0) + 1;
    server.put(appsV1.deployments, {
      ...rest,
      metadata: { ...metadata, generation },
      spec: { ...current().spec!, ...spec },
    });
  };
  const allReady = () => {
    for (const pod of server.all(coreV1.pods)) if (isActive(pod) && !isReady(pod)) setReady(server, pod);
  };
  const progress = () => current().status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  const done = (what: string, image: string, replicas = 3) =>
    waitUntil(what, () => {
      allReady();
      const { status, metadata } = current();
      return (
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === replicas &&
        status.replicas === replicas &&
        setOf(image)?.spec?.replicas === replicas &&
        progress() === 'NewReplicaSetAvailable'
      );
    });

  it('rolls out, rolls back, and keeps the requested number of revisions', async () => {
    server.put(appsV1.deployments, deployment('a'));
    await done('the first rollout', 'a');
    assert.equal(current().metadata.annotations?.[REVISION], '1');
    change({ template: template('b') });
    await done('the second rollout', 'b');
    assert.equal(current().metadata.annotations?.[REVISION], '2');
    assert.equal(setOf('a')?.spec?.replicas, 0);
    change({ template: template('a') });
    await done('the rollback to the first template', 'a');
    assert.equal(setOf('a')?.metadata.annotations?.[REVISION], '3');
    assert.equal(setOf('a')?.metadata.annotations?.['deployment.orch.io/revision-history'], '1');
    assert.equal(sets().length, 2);
    change({ template: template('c'), revisionHistoryLimit: 1 });
    await done('the third template', 'c');
    await waitUntil('the oldest replica set is deleted', () => setOf('b') === undefined);
    assert.deepEqual(
      sets()
        .map(({ spec }) => imageOf(spec!.template!))
        .sort(),
      ['a', 'c'],
    );
    const scaled = server.all(coreV1.events).filter(({ reason }) => reason === 'ScalingReplicaSet');
    assert.match(scaled[0]!.message!, /^Scaled up replica set web-[a-z0-9]{10} to 3$/);
  });

  it('pauses a rollout, still scales, and resumes', async () => {
    server.put(appsV1.deployments, deployment('a'));
    await done('the first rollout', 'a');
    change({ paused: true, template: template('b') });
    await waitUntil(
      'the controller has seen the pause',
      () => progress() === 'DeploymentPaused' && current().status?.observedGeneration === 2,
    );
    change({ replicas: 4 });
    await waitUntil('the old set is scaled', () => setOf('a')?.spec?.replicas === 4);
    assert.equal(setOf('b'), undefined);
    change({ paused: false });
    await done('the rollout', 'b', 4);
  });

  it('creates no new pod before the last old pod has terminated, with the strategy Recreate', async () => {
    server.put(appsV1.deployments, deployment('a', { strategy: { type: 'Recreate' } }));
    await done('the first rollout', 'a');
    for (const pod of server.all(coreV1.pods))
      server.put(coreV1.pods, { ...pod, metadata: { ...pod.metadata, finalizers: ['test'] } });
    change({ template: template('b') });
    await waitUntil('the old set has no pods', () => setOf('a')?.status?.replicas === 0);
    assert.equal(setOf('b'), undefined);
    for (const { metadata } of server.all(coreV1.pods)) server.remove(coreV1.pods, metadata.name!, namespace);
    await done('the new pods', 'b');
  });

  it('reports an exceeded progress deadline', async () => {
    server.put(appsV1.deployments, deployment('a', { progressDeadlineSeconds: 1 }));
    await waitUntil('the time is up', () => progress() === 'ProgressDeadlineExceeded');
    const condition = current().status!.conditions!.find(({ type }) => type === 'Progressing')!;
    assert.match(condition.message!, /^ReplicaSet "web-.*" has timed out progressing\.$/);
    await done('the late rollout', 'a');
  });

  it('chooses another name for a replica set if a replica set of another owner has the name', async () => {
    server.put(appsV1.deployments, deployment('a'));
    await done('the first rollout', 'a');
    const { metadata } = setOf('a')!;
    const foreign = { ...setOf('a')!, metadata: { name: metadata.name, namespace } };
    change({ paused: true });
    await waitUntil('the deployment is paused', () => progress() === 'DeploymentPaused');
    server.remove(appsV1.replicasets, metadata.name!, namespace);
    server.put(appsV1.replicasets, {
      ...foreign,
      spec: {
        ...foreign.spec!,
        selector: { matchLabels: { app: 'other' } },
        template: { ...foreign.spec!.template!, metadata: { labels: { app: 'other' } } },
      },
    });
    change({ paused: false });
    await waitUntil('a collision', () => current().status?.collisionCount === 1);
    await waitUntil('another set', () =>
      sets().some((set) => set.metadata.name !== metadata.name && set.spec?.replicas === 3),
    );
  });

  it('uses the names of the naming kubernetes', async () => {
    const other = new FakeServer([appsV1.deployments, appsV1.replicasets, coreV1.pods, coreV1.events], {
      naming: createNaming('kubernetes'),
    });
    started.push(await startController(deploymentController, other));
    other.put(appsV1.deployments, deployment('a'));
    const [set] = (await waitUntil('a set', () => {
      const all = other.all(appsV1.replicasets);
      return all.length > 0 && all;
    })) as ReplicaSet[];
    const key = (name: string) => createNaming('kubernetes').key(`deployment/${name}`);
    assert.deepEqual(set!.metadata.annotations, {
      [key('revision')]: '1',
      [key('desired-replicas')]: '3',
      [key('max-replicas')]: '4',
    });
    await waitUntil(
      'the deployment has its revision',
      () => other.get(appsV1.deployments, 'web', namespace)?.metadata.annotations?.[key('revision')] === '1',
    );
  });

  it('does not create a replica set for an empty selector', async () => {
    server.put(appsV1.deployments, deployment('a', { selector: {} }));
    await waitUntil('an event', () => server.all(coreV1.events).some(({ reason }) => reason === 'SelectingAll'));
    await waitUntil('the controller has observed the deployment', () => current().status?.observedGeneration === 1);
    assert.equal(sets().length, 0);
  });
});

describe('deployments, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, deploymentController, replicaSetController],
    '--use-service-account-credentials',
    '--orch-api-qps=0',
  );
  const stop = new AbortController();
  after(() => stop.abort());

  it('roll out and roll back, and keep the promised number of pods available', async () => {
    const { client } = running;
    const naming = createNaming('orch');
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    const how: PlayedNodes = {};
    await playNodes(client, stop.signal, how);
    const deployments = client.resource(appsV1.deployments).in('default');
    await deployments.create({
      metadata: { name: 'web' },
      spec: { ...deployment('a', { replicas: 8, strategy: rolling('25%', 1) }).spec! },
    });
    const isDone = async (revision: string) => {
      const { metadata, status } = await deployments.get('web');
      return (
        metadata.annotations?.[naming.key('deployment/revision')] === revision &&
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === 8 &&
        status.availableReplicas === 8 &&
        status.replicas === 8
      );
    };
    await waitUntil('all pods are available', () => isDone('1'));
    how.watch = (pods: readonly Pod[]) => {
      const active = pods.filter(isActive);
      least = Math.min(least, active.filter(isReady).length);
      most = Math.max(most, active.length);
    };
    await deployments.patch('web', 'merge', { spec: { template: template('b') } } as never);
    await waitUntil('the new image runs', () => isDone('2'));
    await deployments.patch('web', 'merge', { spec: { template: template('a') } } as never);
    await waitUntil('the rollback is done', () => isDone('3'));
    assert.ok(least >= 7, `${least} were available`);
    assert.ok(most <= 10, `${most} were active`);
    const all = (await client.resource(coreV1.pods).in('default').list()).items;
    assert.ok(all.filter(isActive).every((pod) => imageOf(pod) === 'a'));
  });
});
