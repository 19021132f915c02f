import type { PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement } from '#schema/generated/batch.v1.ts';
import type { ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import { containersOf } from './job-pods.ts';

/** The result of a policy for a failed pod. */
export interface Judgement {
  /** Whether the failure counts towards the limit of failures. */
  readonly counts: boolean;
  readonly action?: string;
  /** Why the whole job fails. */
  readonly failsJob?: string;
}

const COUNTS: Judgement = { counts: true };

/**
 * The action of the first rule that a failed pod matches. Without a matching rule, the failure counts towards the
 * limit.
 */
export function judge(policy: PodFailurePolicy | undefined, pod: Pod): Judgement {
  for (const [i, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    const { namespace, name } = pod.metadata;
    let what: string | undefined;
    if (onExitCodes != null) {
      const container = containersOf(pod).find((status) => exitCodeMatches(status, onExitCodes));
      if (container !== undefined)
        what = `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${container.state?.terminated?.exitCode}`;
    } else {
      const condition = pod.status?.conditions?.find(({ type, status }) =>
        onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status),
      );
      if (condition !== undefined) what = `Pod ${namespace}/${name} has condition ${condition.type}`;
    }
    if (what === undefined) continue;
    if (action === 'Ignore') return { counts: false, action };
    if (action !== 'FailJob') return { counts: true, action };
    return { counts: true, action, failsJob: `${what} matching ${action} rule at index ${i}` };
  }
  return COUNTS;
}

function exitCodeMatches(
  { name, state }: ContainerStatus,
  requirement: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const { containerName, operator, values } = requirement;
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0) return false;
  if (containerName != null && containerName !== name) return false;
  return (values ?? []).includes(code) === (operator === 'In');
}
