import { jsonEqual } from '#base/json/json-equal.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { batchV1 } from '#client/generated/resources.ts';
import { byOwner, keyOf, splitKey } from '#client/informer/informer.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import { apiVersionOf } from '#client/resource-type.ts';
import type { CronJob, CronJobStatus, Job } from '#schema/generated/batch.v1.ts';
import { formatTime, timeToMilliseconds } from '#schema/values/time.ts';
import { controller, need, type Term } from '../controller.ts';
import { type CronJobPlan, finishOf, planOf, referenceTo } from './cron-job-plan.ts';
import { jobAt } from './job-at.ts';

const TYPE = batchV1.cronjobs;

/** Starts jobs at the times of cron jobs. Deletes finished jobs beyond the number that each cron job keeps. */
export const cronJobController = controller({
  name: 'cronjob',
  account: 'cronjob-controller',
  needs: [
    need(TYPE, { fields: ['spec', 'status'] }),
    need(batchV1.jobs, {
      fields: ['status.conditions.type', 'status.conditions.status', 'status.completionTime', 'status.startTime'],
    }),
  ],

  start(term) {
    const { informer, queue, flags, signal } = term;
    const cronJobs = informer(TYPE);
    const jobs = informer(batchV1.jobs);
    const work = new CronJobWork(term);
    const keys = queue(
      async (key) => {
        const copy = cronJobs.get(key);
        return copy === undefined ? undefined : work.on(copy, (uid) => jobs.find(byOwner, uid).filter(isChildOf(uid)));
      },
      { workers: flags.get('concurrent-cron-job-syncs') },
    );
    const changed = (cronJob: CronJob) => keys.add(keyOf(cronJob));
    cronJobs.on({ added: changed, updated: changed }, signal);
    const ofJob = (...states: readonly Job[]) => {
      for (const { metadata } of states)
        for (const owner of metadata.ownerReferences ?? [])
          if (owner.controller === true && owner.kind === TYPE.kind) keys.add(`${metadata.namespace}/${owner.name}`);
    };
    jobs.on({ added: ofJob, updated: ofJob, deleted: ofJob }, signal);
  },
});

function isChildOf(uid: string): (job: Job) => boolean {
  return ({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true;
}

/** The work on cron jobs, one at a time. */
class CronJobWork {
  readonly #term: Term;
  readonly #apiVersion: string;

  constructor(term: Term) {
    this.#term = term;
    this.#apiVersion = apiVersionOf(batchV1.jobs, term.naming);
  }

  async on(copy: CronJob, childrenOf: (uid: string) => readonly Job[]) {
    const uid = copy.metadata.uid!;
    const first = this.#plan(copy, childrenOf(uid));
    const idle = first.start === undefined && first.missing.length === 0 && isUnchanged(copy, first.status);
    if (idle) {
      this.#report(copy, first);
      return this.#end(copy, first);
    }
    const { namespace, name } = splitKey(keyOf(copy));
    const live = this.#term.client.resource(TYPE).in(namespace);
    let cronJob: CronJob;
    try {
      cronJob = await live.get(name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    if (cronJob.metadata.uid !== uid) return undefined;
    const plan = this.#plan(cronJob, childrenOf(uid));
    this.#report(cronJob, plan);
    let status = await this.#withoutMissing(cronJob, plan);
    if (plan.start !== undefined) {
      if (plan.replaces === true) status = await this.#stopAll(cronJob, status);
      const started = await this.#start(cronJob, plan.start);
      if (started !== undefined) {
        const others = (status.active ?? []).filter((reference) => reference.uid !== started.metadata.uid);
        // A job may have ended that an earlier attempt started before the status could record it.
        const runs = finishOf(started) === undefined ? [referenceTo(started, this.#apiVersion)] : [];
        status = { ...withActive(status, [...others, ...runs]), lastScheduleTime: formatTime(plan.start) };
      }
    }
    if (!isUnchanged(cronJob, status)) await live.update({ ...cronJob, status }, { subresource: 'status' });
    return this.#end(cronJob, plan);
  }

  #plan(cronJob: CronJob, jobs: readonly Job[]): CronJobPlan {
    const { now, naming } = this.#term;
    return planOf(cronJob, jobs, { now: now(), apiVersion: this.#apiVersion, site: `https://${naming.domain()}` });
  }

  #report(cronJob: CronJob, { events }: CronJobPlan): void {
    for (const { type, reason, message } of events) this.#term.events[type](TYPE, cronJob, reason, message);
  }

  /** Old jobs are deleted only after the status contains their result. */
  async #end(cronJob: CronJob, { old, lookAgainAt }: CronJobPlan) {
    for (const job of old) await this.#delete(cronJob, job);
    return lookAgainAt === undefined ? undefined : { afterMs: Math.max(1, lookAgainAt - this.#term.now()) };
  }

  #jobs({ metadata }: CronJob): ResourceClient<Job> {
    return this.#term.client.resource(batchV1.jobs).in(metadata.namespace);
  }

  /** The copy may be behind. If it lacks a job, the controller asks the server before it treats the job as gone. */
  async #withoutMissing(cronJob: CronJob, { status, missing }: CronJobPlan): Promise<CronJobStatus> {
    const gone = new Set<string | undefined>();
    for (const { name = '', uid } of missing) {
      const found = await this.#find(cronJob, name);
      if (found?.metadata.uid === uid) continue;
      gone.add(uid);
      this.#term.events.normal(TYPE, cronJob, 'MissingJob', `Active job went missing: ${name}`);
    }
    return withActive(
      status,
      (status.active ?? []).filter(({ uid }) => !gone.has(uid)),
    );
  }

  async #stopAll(cronJob: CronJob, status: CronJobStatus): Promise<CronJobStatus> {
    for (const { name = '', uid } of status.active ?? []) {
      const found = await this.#find(cronJob, name);
      if (found !== undefined && found.metadata.uid === uid) await this.#delete(cronJob, found);
    }
    return withActive(status, []);
  }

  async #find(cronJob: CronJob, name: string): Promise<Job | undefined> {
    try {
      return await this.#jobs(cronJob).get(name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #delete(cronJob: CronJob, { metadata: { namespace, name = '', uid, resourceVersion } }: Job): Promise<void> {
    const { events, log } = this.#term;
    try {
      const preconditions = { uid, resourceVersion };
      await this.#jobs(cronJob).delete(name, { preconditions, propagationPolicy: 'Background' });
    } catch (error) {
      if (isNotFound(error)) return;
      events.warn(TYPE, cronJob, 'FailedDelete', `Deleted job: ${(error as Error).message}`);
      throw error;
    }
    log.info({ namespace, name }, 'deleted a job of a cron job');
    events.normal(TYPE, cronJob, 'SuccessfulDelete', `Deleted job ${name}`);
  }

  /** The job for a time, whether it was started now or before. Undefined if a job of another owner has its name. */
  async #start(cronJob: CronJob, time: number): Promise<Job | undefined> {
    const { events, log, metrics, naming } = this.#term;
    const wanted = jobAt(cronJob, time, naming);
    const { name = '', namespace } = wanted.metadata;
    try {
      const made = await this.#jobs(cronJob).create(wanted);
      log.info({ namespace, name }, 'started a job of a cron job');
      const { creationTimestamp } = made.metadata;
      const late = creationTimestamp ? Math.max(0, timeToMilliseconds(creationTimestamp) - time) / 1000 : 0;
      metrics.histogram('cronjob_controller_job_creation_skew_duration_seconds').observe({}, late);
      events.normal(TYPE, cronJob, 'SuccessfulCreate', `Created job ${name}`);
      return made;
    } catch (error) {
      if (isAlreadyExists(error)) {
        const found = await this.#find(cronJob, name);
        return found !== undefined && isChildOf(cronJob.metadata.uid!)(found) ? found : undefined;
      }
      if (!isNamespaceTerminating(error))
        events.warn(TYPE, cronJob, 'FailedCreate', `Error creating job: ${(error as Error).message}`);
      throw error;
    }
  }
}

function withActive({ active: _, ...rest }: CronJobStatus, active: CronJobStatus['active'] & {}): CronJobStatus {
  return active.length === 0 ? rest : { active, ...rest };
}

function isUnchanged({ status = {} }: CronJob, next: CronJobStatus): boolean {
  return jsonEqual(withActive(status, status.active ?? []), next);
}
