import assert from 'node:assert/strict';
import { batchV1, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { kill, WorkloadCluster } from './cluster.ts';

const COMPLETIONS = 1000;

describe('jobs on simulated nodes', function () {
  this.timeout(900_000);
  let cluster: WorkloadCluster;
  before(async () => {
    cluster = await WorkloadCluster.start(10);
    const accounts = cluster.client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
  });
  after(() => cluster?.stop());

  const jobs = () => cluster.client.resource(batchV1.jobs).in('default');
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const succeeded = async (name: string) => (await jobs().get(name)).status?.succeeded ?? 0;
  const isComplete = async (name: string) =>
    (await jobs().get(name)).status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True');

  let tries = 0;
  for (const completionMode of ['NonIndexed', 'Indexed'])
    it(`count ${COMPLETIONS} completions (${completionMode}) once each, even if managers are killed`, async () => {
      const name = `many-${completionMode.toLowerCase()}-${tries++}`;
      const begin = performance.now();
      await jobs().create({
        metadata: { name },
        spec: { completions: COMPLETIONS, parallelism: 50, completionMode, template },
      });
      await cluster.startManager();
      for (const enough of [0.3, 0.6]) {
        await waitUntil('it is on its way', async () => (await succeeded(name)) >= enough * COMPLETIONS, 240_000);
        const leader = await cluster.leader();
        await cluster.startManager();
        await kill(leader);
      }
      await waitUntil('it is complete', () => isComplete(name), 240_000);
      console.log(`    ${completionMode}: ${Math.round((performance.now() - begin) / 1000)} s`);
      const { status } = await jobs().get(name);
      assert.deepEqual([status?.succeeded, status?.failed, status?.active], [COMPLETIONS, undefined, undefined]);
      const pods = (
        await cluster.client
          .resource(coreV1.pods)
          .in('default')
          .list({ labelSelector: `job-name=${name}` })
      ).items;
      assert.equal(pods.filter((pod) => pod.status?.phase === 'Succeeded').length, COMPLETIONS);
      assert.equal(pods.length, COMPLETIONS);
      assert.ok(pods.every(({ metadata }) => !metadata.finalizers?.length));
    });
});
