import { isNotFound } from '#client/errors.ts';
import { batchV1, coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Term } from '../controller.ts';
import { byController, controllerOf, refersTo } from '../pods/owners.ts';
import { endOf, type JobWords } from './job-pods.ts';

/** Removes the finalizer of a pod that has been counted or will never be counted. */
export async function letGo({ client }: Pick<Term, 'client'>, pod: Pod, words: JobWords): Promise<void> {
  const { namespace, name = '', uid } = pod.metadata;
  const patch = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [words.finalizer] } };
  try {
    await client.resource(coreV1.pods).in(namespace).patch(name, 'strategic', patch);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Removes the finalizer of pods whose job is gone, has ended or no longer owns them. Such a job no longer counts them.
 */
export function letOrphansGo(term: Term, words: JobWords): void {
  const { client, informer, queue, naming, log, signal } = term;
  const jobs = informer(batchV1.jobs);
  const pods = informer(coreV1.pods);

  const mayGo = async (pod: Pod): Promise<boolean> => {
    const owner = controllerOf(pod);
    if (owner === undefined) return true;
    // Pods of other owners may use the finalizer too.
    if (!refersTo(owner, batchV1.jobs, naming)) return false;
    const isDone = (job: Job | undefined) =>
      job === undefined || job.metadata.uid !== owner.uid || (isOwn(job, words) && endOf(job) !== undefined);
    const { namespace } = pod.metadata;
    if (!isDone(jobs.get(`${namespace}/${owner.name}`))) return false;
    const live = await client
      .resource(batchV1.jobs)
      .in(namespace)
      .get(owner.name)
      .catch((error) => {
        if (!isNotFound(error)) throw error;
        return undefined;
      });
    return isDone(live);
  };

  const keys = queue(
    async (key) => {
      const pod = pods.get(key);
      if (pod === undefined || !words.isTracked(pod) || !(await mayGo(pod))) return;
      await letGo(term, pod, words);
      log.info(splitKey(key), 'removed the job finalizer of a pod that no job counts');
    },
    { name: 'job_orphan_pod', workers: 4 },
  );

  const ofPod = (pod: Pod) => {
    if (!words.isTracked(pod)) return;
    const owner = controllerOf(pod);
    const job = owner === undefined ? undefined : jobs.get(`${pod.metadata.namespace}/${owner.name}`);
    if (job === undefined || job.metadata.uid !== owner?.uid || endOf(job) !== undefined) keys.add(keyOf(pod));
  };
  pods.on({ added: ofPod, updated: ofPod }, signal);
  const ofJob = ({ metadata }: Job) => {
    for (const pod of pods.find(byController, metadata.uid!)) ofPod(pod);
  };
  jobs.on({ updated: (job) => endOf(job) !== undefined && ofJob(job), deleted: ofJob }, signal);
}

/** Whether this controller acts on a job. A job may name another program's controller. */
export function isOwn({ spec }: Job, words: JobWords): boolean {
  return spec?.managedBy === undefined || spec.managedBy === words.manager;
}
