import assert from 'node:assert/strict';
import type { Client } from '#client/client.ts';
import { batchV1, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Job, JobSpec, JobStatus } from '#schema/generated/batch.v1.ts';
import type { Pod, PodStatus } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';
import { serviceAccountController } from '../service-account/service-account-controller.ts';
import { aroundLaterManager, aroundManager, startManager } from '../testing/around-manager.ts';
import { jobController } from './job-controller.ts';

const FAST = ['--orch-api-qps=100000', '--orch-api-burst=100000'];
const FINALIZER = 'batch.orch.io/job-tracking';

/** A job in the form that users write. */
const jobOf = (name: string, spec: Partial<JobSpec>): Job => ({
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }, ...spec },
});

/** The status that a node reports for a pod that ended with this exit code. */
function ended(exitCode: number): PodStatus {
  const now = formatTime(Date.now());
  const state = {
    terminated: { exitCode, finishedAt: now, startedAt: now, reason: exitCode === 0 ? 'Completed' : 'Error' },
  };
  const status = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state };
  return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [status as never] };
}

/** Functions with which tests observe one job. */
function watching(client: () => Client, name: string) {
  const jobs = () => client().resource(batchV1.jobs).in('default');
  const pods = () => client().resource(coreV1.pods).in('default');
  const own = async () => (await pods().list({ labelSelector: `job-name=${name}` })).items;
  const running = async () =>
    (await own()).filter(({ metadata, status }) => status?.phase === 'Pending' && !metadata.deletionTimestamp);
  const status = async () => (await jobs().get(name)).status ?? {};
  return {
    jobs,
    pods,
    own,
    running,
    status,
    create: (spec: Partial<JobSpec>) => jobs().create(jobOf(name, spec)),
    says: (pod: Pod, said: PodStatus) =>
      pods().patch(pod.metadata.name!, 'merge', { status: said }, { subresource: 'status' }),
    /** The condition with which the job ended. */
    end: async () =>
      (await waitUntil(`${name} has ended`, async () =>
        (await status()).conditions?.find(({ type, status: is }) => is === 'True' && /^(Complete|Failed)$/.test(type)),
      ))!,
    reasons: async () =>
      (await client().resource(coreV1.events).in('default').list()).items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason }) => reason),
  };
}

describe('job controller, with an API server', () => {
  const running = aroundManager(
    [serviceAccountController, jobController],
    '--use-service-account-credentials',
    ...FAST,
  );
  const job = (name: string) => watching(() => running.client, name);
  before(async () => {
    const accounts = running.client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
  });

  it('runs up to parallelism pods at the same time until all completions have succeeded', async () => {
    const { create, running: active, says, own, status, end, reasons } = job('plain');
    await create({ completions: 3, parallelism: 2 });
    const [first] = (await waitUntil('two run', async () => (await active()).length === 2 && active())) as Pod[];
    assert.deepEqual(first!.metadata.finalizers, [FINALIZER]);
    assert.equal(first!.metadata.ownerReferences?.[0]?.kind, 'Job');
    await waitUntil('it counts them', async () => (await status()).active === 2);
    await says(first!, ended(0));
    await waitUntil('another one runs', async () => (await own()).length === 3);
    for (const pod of await active()) await says(pod, ended(0));
    assert.deepEqual([(await end()).type, (await end()).reason ?? ''], ['Complete', '']);
    const { succeeded, active: left, startTime, completionTime, uncountedTerminatedPods, ready } = await status();
    assert.deepEqual([succeeded, left ?? 0, ready], [3, 0, 0]);
    assert.deepEqual(uncountedTerminatedPods, {});
    assert.ok(startTime && completionTime);
    assert.ok((await own()).every(({ metadata }) => (metadata.finalizers ?? []).length === 0));
    await waitUntil('there is an event', async () => (await reasons()).includes('Completed'));
    assert.equal((await reasons()).filter((reason) => reason === 'SuccessfulCreate').length, 3);
    const metrics = await running.metrics.text();
    const mode = 'completion_mode="NonIndexed"';
    assert.match(metrics, new RegExp(`job_finished_total\\{${mode},reason="",result="succeeded"\\} 1\n`));
    assert.match(metrics, new RegExp(`job_pods_finished_total\\{${mode},result="succeeded"\\} 3\n`));
  });

  it('gives each pod an index and completes each index once', async () => {
    const { create, own, says, status, end } = job('indexed');
    await create({ completions: 3, parallelism: 3, completionMode: 'Indexed' });
    const pods = (await waitUntil('three run', async () => ((await own()).length === 3 ? own() : undefined)))!;
    const indexOf = ({ metadata }: Pod) => metadata.annotations?.['batch.orch.io/job-completion-index'];
    assert.deepEqual(pods.map(indexOf).sort(), ['0', '1', '2']);
    const last = pods.find((pod) => indexOf(pod) === '2')!;
    assert.equal(last.spec?.hostname, 'indexed-2');
    assert.match(last.metadata.name!, /^indexed-2-\w+$/);
    assert.equal(last.spec?.containers?.[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
    await says(last, ended(0));
    await waitUntil('it is completed', async () => (await status()).completedIndexes === '2');
    for (const pod of pods) if (pod !== last) await says(pod, ended(0));
    assert.equal((await end()).type, 'Complete');
    const { completedIndexes, succeeded } = await status();
    assert.deepEqual([completedIndexes, succeeded], ['0-2', 3]);
  });

  it('fails when too many pods fail, and deletes running pods', async () => {
    const { create, running: active, says, own, status, end, reasons } = job('fails');
    await create({ completions: 3, parallelism: 3, backoffLimit: 0 });
    const [first] = (await waitUntil('three run', async () => ((await active()).length === 3 ? active() : undefined)))!;
    await says(first!, ended(1));
    assert.deepEqual([(await end()).type, (await end()).reason], ['Failed', 'BackoffLimitExceeded']);
    assert.equal((await status()).failed, 3);
    assert.ok((await own()).every(({ metadata }) => (metadata.finalizers ?? []).length === 0));
    await waitUntil('there is an event', async () => (await reasons()).includes('BackoffLimitExceeded'));
  });

  it('waits before it retries', async () => {
    const { create, running: active, says, own, status } = job('waits');
    await create({});
    const [first] = (await waitUntil('one runs', async () => ((await active()).length === 1 ? active() : undefined)))!;
    await says(first!, ended(1));
    await waitUntil('it is counted', async () => (await status()).failed === 1);
    assert.equal((await own()).length, 1);
  });

  it('fails at its deadline', async () => {
    const { create, end, status } = job('late');
    await create({ activeDeadlineSeconds: 1 });
    assert.equal((await end()).reason, 'DeadlineExceeded');
    assert.equal((await status()).failed, 1);
  });

  it('deletes its pods while it is suspended, without counting them', async () => {
    const { create, jobs, running: active, status, reasons } = job('rests');
    await create({ parallelism: 2, suspend: true });
    const suspended = async () => (await status()).conditions?.find(({ type }) => type === 'Suspended');
    await waitUntil('it says so', async () => (await suspended())?.status === 'True');
    assert.equal((await active()).length, 0);
    await jobs().patch('rests', 'merge', { spec: { suspend: false } });
    await waitUntil('two run', async () => (await active()).length === 2);
    await waitUntil('it goes on', async () => (await suspended())?.status === 'False');
    await jobs().patch('rests', 'merge', { spec: { suspend: true } });
    await waitUntil('none runs', async () => (await active()).length === 0 && (await status()).active === undefined);
    assert.equal((await status()).failed, undefined);
    for (const reason of ['Suspended', 'Resumed'])
      await waitUntil(`${reason} is there`, async () => (await reasons()).includes(reason));
  });

  it('removes the finalizer of pods whose job is deleted', async () => {
    const { create, jobs, own } = job('goes');
    await create({ parallelism: 2 });
    await waitUntil('two run', async () => (await own()).length === 2);
    await jobs().delete('goes', { propagationPolicy: 'Orphan' });
    await running.client
      .resource(batchV1.jobs)
      .in('default')
      .patch('goes', 'merge', { metadata: { finalizers: null } });
    await waitUntil('they are free', async () => (await own()).every(({ metadata }) => !metadata.finalizers?.length));
  });
});

describe('job controller, with an API server of release 1.37', () => {
  const running = aroundLaterManager(
    '1.37',
    [serviceAccountController, jobController],
    '--use-service-account-credentials',
    ...FAST,
  );
  const job = (name: string) => watching(() => running.client, name);
  const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4 };
  const conditionsOf = (list: JobStatus['conditions'] = []) => list.map(({ type, reason }) => [type, reason]);
  const byIndex = (pods: readonly Pod[], index: number) =>
    pods.find(({ metadata }) => metadata.labels?.['batch.orch.io/job-completion-index'] === String(index))!;
  before(async () => {
    const accounts = running.client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
  });

  it('sets the condition SuccessCriteriaMet before Complete', async () => {
    const { create, running: active, says, status, end } = job('plain');
    await create({});
    const [pod] = (await waitUntil('one runs', async () => ((await active()).length === 1 ? active() : undefined)))!;
    await says(pod!, ended(0));
    await end();
    const { conditions, terminating } = await status();
    const reason = 'CompletionsReached';
    assert.deepEqual(conditionsOf(conditions), [
      ['SuccessCriteriaMet', reason],
      ['Complete', reason],
    ]);
    assert.equal(terminating, 0);
  });

  it('applies a pod failure policy: fails the job, ignores a pod, or counts it', async () => {
    const { create, running: active, says, own, status, end } = job('policy');
    const onExitCodes = (...values: number[]) => ({ operator: 'In', values });
    const rules = [
      { action: 'Ignore', onExitCodes: onExitCodes(7) },
      { action: 'FailJob', onExitCodes: onExitCodes(42) },
    ];
    await create({ parallelism: 2, completions: 2, podFailurePolicy: { rules: rules as never } });
    const [first, second] = (await waitUntil('two run', async () =>
      (await active()).length === 2 ? active() : undefined,
    ))!;
    await says(first!, ended(7));
    const uid = first!.metadata.uid;
    const isFree = async () =>
      (await own()).find(({ metadata }) => metadata.uid === uid)?.metadata.finalizers === undefined;
    await waitUntil('it is let go', isFree);
    assert.equal((await status()).failed, undefined);
    await says(second!, ended(42));
    await waitUntil('it is counted', async () => (await status()).failed === 1);
    const { reason, message } = await end();
    const name = second!.metadata.name;
    const why = `Container c for pod default/${name} failed with exit code 42 matching FailJob rule at index 1`;
    assert.deepEqual([reason, message], ['PodFailurePolicy', why]);
    assert.deepEqual(conditionsOf((await status()).conditions), [
      ['FailureTarget', 'PodFailurePolicy'],
      ['Failed', 'PodFailurePolicy'],
    ]);
  });

  it('completes with some indexes according to the success policy', async () => {
    const { create, own, says, status, end } = job('enough');
    await create({ ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }] } });
    const pods = (await waitUntil('four run', async () => ((await own()).length === 4 ? own() : undefined)))!;
    await says(byIndex(pods, 3), ended(0));
    await says(byIndex(pods, 0), ended(0));
    await waitUntil('both count', async () => (await status()).completedIndexes === '0,3');
    await says(byIndex(pods, 2), ended(0));
    assert.deepEqual([(await end()).type, (await end()).reason], ['Complete', 'SuccessPolicy']);
    const { succeeded, failed, completedIndexes } = await status();
    assert.deepEqual([succeeded, failed, completedIndexes], [3, undefined, '0,2,3']);
  });

  it('fails a single index with backoffLimitPerIndex', async () => {
    const { create, own, says, status, end } = job('alone');
    await create({ ...indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 0 });
    const pods = (await waitUntil('two run', async () => ((await own()).length === 2 ? own() : undefined)))!;
    await says(byIndex(pods, 1), ended(1));
    await waitUntil('it has failed', async () => (await status()).failedIndexes === '1');
    assert.equal((await status()).conditions, undefined);
    await says(byIndex(pods, 0), ended(0));
    assert.deepEqual([(await end()).type, (await end()).reason], ['Failed', 'FailedIndexes']);
    const { succeeded, failed } = await status();
    assert.deepEqual([succeeded, failed], [1, 1]);
  });
});

describe('a job of 80 completions', () => {
  const running = aroundManager([serviceAccountController]);

  it('counts each pod exactly once, even if the manager is stopped twice', async () => {
    const { client, replica } = running;
    const accounts = client.resource(coreV1.serviceaccounts).in('default');
    await waitUntil('pods can be made', () => accounts.get('default').catch(() => undefined));
    const { create, running: active, says, own, status, end } = watching(() => client, 'many');
    await create({ completions: 80, parallelism: 20 });
    const stop = new AbortController();
    // Nodes end pods, and managers start and stop.
    const nodes = (async () => {
      while (!stop.signal.aborted) await Promise.all((await active()).map((pod) => says(pod, ended(0))));
    })();
    const start = () => startManager(replica, [jobController], '--leader-elect=false', ...FAST);
    let manager = start();
    for (const enough of [20, 50]) {
      await waitUntil(`${enough} are counted`, async () => ((await status()).succeeded ?? 0) >= enough);
      // A restart at any point of the work must not repeat the pending write.
      await manager.stop();
      manager = start();
    }
    assert.equal((await end()).type, 'Complete');
    stop.abort();
    await nodes;
    await manager.stop();
    assert.equal((await status()).succeeded, 80);
    assert.equal((await status()).failed, undefined);
    const pods = await own();
    assert.equal(pods.filter((pod) => pod.status?.phase === 'Succeeded').length, 80);
    assert.equal(pods.length, 80);
    assert.ok(pods.every(({ metadata }) => (metadata.finalizers ?? []).length === 0));
  });
});
