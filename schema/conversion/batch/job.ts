import type { Job } from '../../generated/batch.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';
import { copyLabels } from './copy-labels.ts';
import { defaultPodFailurePolicy } from './default-pod-failure-policy.ts';

/** The limit of failures for a job whose indexes have separate limits. It means no limit. */
const NO_LIMIT = 2_147_483_647;

function defaults(object: ApiObject, context: VersionContext): void {
  const job = object as Job;
  const { spec } = job;
  if (spec === undefined) return;
  if (spec.completions === undefined && spec.parallelism === undefined) {
    spec.completions = 1;
    spec.parallelism = 1;
  }
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : NO_LIMIT;
  if (context.gates.enabled('JobPodReplacementPolicy'))
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  copyLabels(job);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  // Since 1.29 every job says whether its selector was given. Jobs in templates may leave this open.
  if (context.release.atLeast(29)) spec.manualSelector ??= false;
  defaultPodFailurePolicy(spec.podFailurePolicy);
  defaultPodTemplate(spec.template, context);
}

/** The defaults of jobs in each version. */
export const jobVersions = { v1: { defaults } } satisfies KindVersions;
