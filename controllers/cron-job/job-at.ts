import type { Naming } from '#base/naming/naming.ts';
import { batchV1 } from '#client/generated/resources.ts';
import { apiVersionOf } from '#client/resource-type.ts';
import type { CronJob, Job } from '#schema/generated/batch.v1.ts';
import { zonedTime } from '#schema/values/next-run.ts';

/** The name of the job that a cron job makes for a time. It is always the same, so the job is not made twice. */
export function jobNameAt({ metadata }: CronJob, time: number): string {
  return `${metadata.name}-${Math.floor(time / 60_000)}`;
}

/** Whether a job has a name that this cron job would give to a job for some time. */
export function isNamedByTime({ metadata }: CronJob, name: string): boolean {
  return name.startsWith(`${metadata.name}-`) && /^\d+$/.test(name.slice(metadata.name!.length + 1));
}

/** The job that a cron job makes for a time. */
export function jobAt(cronJob: CronJob, time: number, naming: Naming): Job {
  const { metadata, spec } = cronJob;
  const template = spec?.jobTemplate ?? {};
  const { kind } = batchV1.cronjobs;
  const { name = '', uid = '', namespace } = metadata;
  const owner = { apiVersion: apiVersionOf(batchV1.cronjobs, naming), kind, name, uid };
  return {
    metadata: {
      name: jobNameAt(cronJob, time),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels },
      annotations: {
        ...template.metadata?.annotations,
        [naming.key('batch/cronjob-scheduled-timestamp')]: zonedTime(time, spec?.timeZone),
      },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}
