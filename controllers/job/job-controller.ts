import { isNotFound } from '#client/errors.ts';
import { batchV1, coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Job, JobStatus } from '#schema/generated/batch.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { atOnce } from '../at-once.ts';
import { controller, need, type Term } from '../controller.ts';
import { candidatesOf, claim } from '../pods/claim.ts';
import { Expectations, upToDate } from '../pods/expectations.ts';
import { onClaimed } from '../pods/on-claimed.ts';
import { controllerReference } from '../pods/owners.ts';
import { isReady } from '../pods/pod-state.ts';
import { PodWriter } from '../pods/pod-writer.ts';
import { slowStart } from '../pods/slow-start.ts';
import { SOON_MS } from '../pods/soon.ts';
import { writeStatus } from '../pods/write-status.ts';
import { serverRelease } from '../server-release.ts';
import { type JobFeatures, jobFeatures } from './features.ts';
import { countPods } from './job-counts.ts';
import { deadlineOf, type Ending, endingOf } from './job-ending.ts';
import { endOf, JOB_POD_FIELDS, JobWords } from './job-pods.ts';
import { type JobState, stateOf } from './job-state.ts';
import { isComplete, nextStatus } from './job-status.ts';
import { type Steps, stepsOf } from './job-steps.ts';
import { newPod } from './new-pod.ts';
import { isOwn, letGo, letOrphansGo } from './orphaned-pods.ts';

const TYPE = batchV1.jobs;
/** The largest number of requests at once for the pods of one job. */
const AT_ONCE = 64;

/** Runs pods until a job has the wanted number of successful pods, and counts each pod once. */
export const jobController = controller({
  name: 'job',
  account: 'job-controller',
  needs: [need(TYPE, { fields: ['spec', 'status'] }), need(coreV1.pods, { fields: JOB_POD_FIELDS })],

  async start(term) {
    const { informer, queue, flags, naming, signal } = term;
    const jobs = informer(TYPE);
    const words = new JobWords(naming);
    const work = new JobWork(term, words);
    await upToDate(term, [TYPE, coreV1.pods]);
    const keys = queue((key) => work.on(key), { workers: flags.get('concurrent-job-syncs') });
    const changed = (job: Job) => keys.add(keyOf(job));
    jobs.on({ added: changed, updated: changed }, signal);
    const claiming = { type: TYPE, copy: jobs, selectorOf: ({ spec }: Job) => spec?.selector };
    onClaimed(informer(coreV1.pods), claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    letOrphansGo(term, words);
  },
});

/** The work done, and the first error. */
interface Outcome {
  readonly created: number;
  /** The deleted pods. */
  readonly deleted: ReadonlySet<Pod>;
  readonly failure: unknown;
}

class JobWork {
  readonly #term: Term;
  readonly #words: JobWords;
  readonly #expectations: Expectations;
  readonly #release: ReturnType<typeof serverRelease>;

  constructor(term: Term, words: JobWords) {
    this.#term = term;
    this.#words = words;
    this.#expectations = new Expectations(term, [coreV1.pods, TYPE]);
    this.#release = serverRelease(term.client);
  }

  async on(key: string) {
    await this.#expectations.seen(key);
    const { informer, events, log, naming, now } = this.#term;
    const job = informer(TYPE).get(key);
    if (job === undefined || !isOwn(job, this.#words) || endOf(job) !== undefined) return undefined;
    const { completionMode } = job.spec ?? {};
    if (completionMode !== undefined && completionMode !== 'Indexed' && completionMode !== 'NonIndexed') {
      const message = 'Skipped Job sync because completion mode is unknown';
      events.warn(TYPE, job, 'UnknownCompletionMode', message);
      return undefined;
    }
    const features = jobFeatures(await this.#release());
    const pods = await this.#claim(job, key);
    const state = stateOf(job, pods, this.#words);
    let ending = endingOf(state, now());
    const stepped = ending === undefined && !job.metadata.deletionTimestamp;
    const steps = stepped ? stepsOf(state, naming, now()) : undefined;
    const outcome =
      steps === undefined ? await this.#end(state, ending, key) : await this.#step(state, steps, features, key);

    const left = state.active.filter((pod) => !outcome.deleted.has(pod));
    const active = left.length + outcome.created;
    if (ending === undefined && isComplete(state, active)) ending = completion(features);
    const ended = { ...state, pods: without(state.pods, left) };
    const counts = countPods(ending === undefined ? withoutRemoved(state, steps, outcome) : ended, ending);
    const { status, events: planned } = nextStatus(
      state,
      {
        counts: left.length > 0 && ending !== undefined ? { ...counts, settled: false } : counts,
        ending,
        active,
        ready: left.filter(isReady).length,
        terminating: state.terminating.length + outcome.deleted.size,
        stepped,
      },
      features,
      now(),
    );
    const client = this.#expectations.client(key);
    if (await writeStatus(client, TYPE, job, status)) {
      const { active: running = 0, succeeded = 0, failed = 0 } = status;
      log.info({ ...splitKey(key), running, succeeded, failed }, 'counted the pods of a job');
      for (const { type, reason, message } of planned) events[type](TYPE, job, reason, message);
      this.#measure(job, status);
    }
    const failure = await atOnce(counts.release, AT_ONCE, (pod) => letGo({ client }, pod, this.#words));
    if (outcome.failure !== undefined) throw outcome.failure;
    if (failure !== undefined) throw failure;
    return this.#lookAgain(state, steps);
  }

  /** Counts in metrics the additions of a status write. */
  #measure({ spec, status: before = {} }: Job, status: JobStatus): void {
    const { metrics } = this.#term;
    const completion_mode = spec?.completionMode ?? 'NonIndexed';
    const pods = metrics.counter('job_controller_job_pods_finished_total');
    for (const result of ['succeeded', 'failed'] as const) {
      const more = (status[result] ?? 0) - (before[result] ?? 0);
      if (more > 0) pods.inc({ completion_mode, result }, more);
    }
    const end = status.conditions?.find(
      ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
    );
    if (end === undefined) return;
    const result = end.type === 'Complete' ? 'succeeded' : 'failed';
    metrics.counter('job_controller_job_finished_total').inc({ completion_mode, reason: end.reason ?? '', result });
  }

  #lookAgain(state: JobState, steps: Steps | undefined) {
    const deadline = deadlineOf(state);
    const waits = [steps?.waitMs, deadline === undefined ? undefined : deadline - this.#term.now()];
    const afterMs = Math.min(...waits.filter((wait) => wait !== undefined));
    return Number.isFinite(afterMs) ? { afterMs: Math.max(1, afterMs) } : undefined;
  }

  #claim(job: Job, key: string): Promise<Pod[]> {
    const { client, informer, naming } = this.#term;
    const { namespace, name } = splitKey(key);
    const { finalizer } = this.#words;
    return claim(candidatesOf(informer(coreV1.pods), job, job.spec?.selector), {
      owner: job,
      selector: job.spec?.selector,
      reference: controllerReference(TYPE, job, naming),
      adopting: ({ metadata: { finalizers = [] } }) =>
        finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] },
      live: () => client.resource(TYPE).in(namespace).get(name),
      claimed: this.#expectations.client(key).resource(coreV1.pods).in(namespace),
    });
  }

  #writer(job: Job, key: string): PodWriter<Job> {
    return new PodWriter(TYPE, job, this.#expectations.client(key), this.#term.events);
  }

  /** A job that ends deletes its pods. They are counted like all other pods, and then lose their finalizers. */
  async #end({ job, active }: JobState, ending: Ending | undefined, key: string): Promise<Outcome> {
    if (ending === undefined) return { created: 0, deleted: new Set(), failure: undefined };
    const writer = this.#writer(job, key);
    return this.#delete(active, (pod) => writer.delete(pod));
  }

  async #step(state: JobState, steps: Steps, features: JobFeatures, key: string): Promise<Outcome> {
    const { naming, log } = this.#term;
    const { job } = state;
    const writer = this.#writer(job, key);
    if (steps.remove.length > 0) {
      // These pods lose their finalizers before they are deleted, so they do not count as failed.
      const client = this.#expectations.client(key);
      return this.#delete(steps.remove, async (pod) => {
        const { namespace, name = '', uid } = pod.metadata;
        await letGo({ client }, pod, this.#words);
        try {
          await client.resource(coreV1.pods).in(namespace).delete(name, { preconditions: { uid } });
          this.#term.events.normal(TYPE, job, 'SuccessfulDelete', `Deleted pod: ${name}`);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      });
    }
    const { done, failure } = await slowStart(steps.create.length, (i) =>
      writer.create(newPod(state, steps.create[i], features, naming)),
    );
    if (done > 0) log.info({ ...splitKey(key), count: done }, 'created pods');
    return { created: done, deleted: new Set(), failure };
  }

  async #delete(pods: readonly Pod[], remove: (pod: Pod) => Promise<unknown>): Promise<Outcome> {
    const deleted = new Set<Pod>();
    const failure = await atOnce(pods, AT_ONCE, async (pod) => {
      await remove(pod);
      deleted.add(pod);
    });
    return { created: 0, deleted, failure };
  }
}

function completion({ endsInTwoSteps }: JobFeatures): Ending {
  return endsInTwoSteps
    ? { success: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : { success: true, reason: '', message: '' };
}

/** The state without the removed pods, because these do not count. */
function withoutRemoved(state: JobState, steps: Steps | undefined, { deleted }: Outcome): JobState {
  return steps === undefined || deleted.size === 0 ? state : { ...state, pods: without(state.pods, steps.remove) };
}

function without(pods: readonly Pod[], others: readonly Pod[]): readonly Pod[] {
  if (others.length === 0) return pods;
  const gone = new Set(others);
  return pods.filter((pod) => !gone.has(pod));
}
