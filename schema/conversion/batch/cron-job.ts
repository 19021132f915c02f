import type { CronJob } from '../../generated/batch.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';

function defaults(object: ApiObject, context: VersionContext): void {
  const { spec } = object as CronJob;
  if (spec === undefined) return;
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  defaultPodTemplate(spec.jobTemplate.spec?.template, context);
}

/** The defaults of cron jobs in each version. */
export const cronJobVersions = { v1: { defaults } } satisfies KindVersions;
