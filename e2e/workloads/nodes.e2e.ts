import assert from 'node:assert/strict';
import { appsV1, autoscalingV2, batchV1, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { kill, WorkloadCluster } from './cluster.ts';

const REPLICAS = 6;

describe('simulated nodes that fail', function () {
  this.timeout(300_000);
  let cluster: WorkloadCluster;
  before(async () => {
    cluster = await WorkloadCluster.start(
      3,
      '--node-monitor-period=500ms',
      '--node-monitor-grace-period=8s',
      '--node-eviction-rate=10',
      '--horizontal-pod-autoscaler-sync-period=1s',
      '--horizontal-pod-autoscaler-downscale-stabilization=1s',
    );
    const accounts = cluster.client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
  });
  after(() => cluster?.stop());

  const nodes = () => cluster.client.resource(coreV1.nodes);
  const pods = () => cluster.client.resource(coreV1.pods).in('default');
  const list = async (app: string) => (await pods().list({ labelSelector: `app=${app}` })).items;
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  const effect = 'NoExecute';

  it('report the usage of pods, and autoscalers follow it', async () => {
    const labels = { app: 'busy' };
    const deployments = cluster.client.resource(appsV1.deployments).in('default');
    const templateUsing = (cpu: string) => ({
      metadata: { labels, annotations: { 'orch.io/simulate-cpu': cpu } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
    });
    await deployments.create({
      metadata: { name: 'busy' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: templateUsing('90m') },
    });
    const target = { type: 'Utilization', averageUtilization: 50 };
    const autoscalers = cluster.client.resource(autoscalingV2.horizontalpodautoscalers).in('default');
    await autoscalers.create({
      metadata: { name: 'busy' },
      spec: {
        ...{ minReplicas: 2, maxReplicas: 5 },
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    });
    const replicas = async () => (await deployments.get('busy')).spec?.replicas;
    await waitUntil('there are more', async () => (await replicas()) === 5, 90_000);
    const { status } = await autoscalers.get('busy');
    assert.equal(status?.currentMetrics?.[0]?.resource?.current.averageUtilization, 90);
    assert.match(await cluster.orchctl('top', 'pods'), /^NAME +CPU\(cores\) +MEMORY\(bytes\)\s+busy-\S+ +90m +16Mi/);
    assert.match(await cluster.orchctl('top', 'nodes'), /^node-0 +\d+m +\d+% +\d+Mi +\d+%/m);

    await deployments.patch('busy', 'strategic', { spec: { template: templateUsing('10m') } });
    await waitUntil('there are fewer', async () => (await replicas()) === 2, 90_000);
    await autoscalers.delete('busy');
    await deployments.delete('busy');
  });

  it('lose their pods to other nodes, and get new ones only after they are back', async () => {
    const labels = { app: 'web' };
    const template = {
      metadata: { labels },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        tolerations: ['unreachable', 'not-ready'].map((name) => ({
          key: `node.orch.io/${name}`,
          operator: 'Exists',
          effect,
          tolerationSeconds: 1,
        })),
      },
    };
    const sets = cluster.client.resource(appsV1.replicasets).in('default');
    await sets.create({
      metadata: { name: 'web' },
      spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template },
    });
    await waitUntil('all are ready', async () => (await list('web')).filter(isReady).length === REPLICAS);
    const lost = (await list('web'))[0]!.spec!.nodeName!;
    const there = (await list('web')).filter(({ spec }) => spec?.nodeName === lost).length;
    assert.ok(there > 0);

    await nodes().patch(lost, 'merge', { metadata: { annotations: { 'orch.io/simulate-down': 'true' } } });
    // The test kills the manager that saw the failure, and the next manager sees it again.
    const leader = await cluster.leader();
    await cluster.startManager();
    await kill(leader);
    const elsewhere = async () => (await list('web')).filter((pod) => isReady(pod) && pod.spec?.nodeName !== lost);
    await waitUntil('all are ready elsewhere', async () => (await elsewhere()).length === REPLICAS, 90_000);
    const ready = (await nodes().get(lost)).status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['Unknown', 'NodeStatusUnknown']);
    const leaving = (await list('web')).filter(({ spec }) => spec?.nodeName === lost);
    assert.equal(leaving.length, there);
    assert.ok(leaving.every(({ metadata }) => metadata.deletionTimestamp));

    const { spec, metadata } = await nodes().get(lost);
    const taints = [...(spec?.taints ?? []), { key: 'node.orch.io/out-of-service', effect }];
    await nodes().patch(lost, 'merge', { metadata: { uid: metadata.uid }, spec: { taints } });
    await waitUntil('they are gone', async () => (await list('web')).length === REPLICAS, 60_000);
  });

  it('run the jobs of a cron job and keep the last ones', async () => {
    const jobs = cluster.client.resource(batchV1.jobs).in('default');
    const cronJobs = cluster.client.resource(batchV1.cronjobs).in('default');
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await cronJobs.create({
      metadata: { name: 'often' },
      spec: {
        schedule: '@every 1s',
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: 1,
        jobTemplate: { spec: { template } },
      },
    });
    const made = new Set<string>();
    await waitUntil(
      'three have run',
      async () => {
        for (const { metadata } of (await jobs.list()).items) made.add(metadata.uid!);
        return made.size >= 3;
      },
      240_000,
    );
    const { status } = await cronJobs.get('often');
    assert.ok(status?.lastSuccessfulTime);
    await cronJobs.delete('often', { propagationPolicy: 'Foreground' });
    await waitUntil('nothing is left', async () => (await jobs.list()).items.length === 0, 60_000);
  });
});
