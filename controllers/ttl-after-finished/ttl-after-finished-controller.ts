import { isNotFound } from '#client/errors.ts';
import { batchV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { controller, need } from '../controller.ts';

/** Deletes finished jobs after the number of seconds that each of them sets. */
export const ttlAfterFinishedController = controller({
  name: 'ttl-after-finished',
  account: 'ttl-after-finished-controller',
  needs: [
    need(batchV1.jobs, {
      fields: [
        'spec.ttlSecondsAfterFinished',
        'status.conditions.type',
        'status.conditions.status',
        'status.conditions.lastTransitionTime',
      ],
    }),
  ],

  start({ client, informer, queue, flags, log, signal, now }) {
    const copies = informer(batchV1.jobs);
    const keys = queue(
      async (key) => {
        const copy = copies.get(key);
        const end = copy === undefined ? undefined : endOfLife(copy);
        if (end === undefined) return undefined;
        const left = end - now();
        if (left > 0) return { afterMs: left };
        const { namespace, name } = splitKey(key);
        const jobs = client.resource(batchV1.jobs).in(namespace);
        try {
          // A client may have increased the time since then.
          const job = await jobs.get(name);
          const { uid, resourceVersion } = job.metadata;
          const endNow = endOfLife(job);
          if (uid !== copy!.metadata.uid || endNow === undefined) return undefined;
          const leftNow = endNow - now();
          if (leftNow > 0) return { afterMs: leftNow };
          await jobs.delete(name, { preconditions: { uid, resourceVersion }, propagationPolicy: 'Foreground' });
          log.info({ namespace, name }, 'deleted a finished job after its time to live');
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
        return undefined;
      },
      { workers: flags.get('concurrent-ttl-after-finished-syncs') },
    );
    const changed = (job: Job) => endOfLife(job) !== undefined && keys.add(keyOf(job));
    copies.on({ added: changed, updated: changed }, signal);
  },
});

/**
 * The time at which a job must be deleted, in milliseconds since 1970; undefined if it must not be deleted, or has not
 * finished.
 */
export function endOfLife({ metadata, spec, status }: Job): number | undefined {
  const seconds = spec?.ttlSecondsAfterFinished;
  if (seconds == null || metadata.deletionTimestamp) return undefined;
  const finished = status?.conditions?.find(
    (condition) => condition.status === 'True' && (condition.type === 'Complete' || condition.type === 'Failed'),
  );
  if (!finished?.lastTransitionTime) return undefined;
  return timeToMilliseconds(finished.lastTransitionTime) + seconds * 1000;
}
