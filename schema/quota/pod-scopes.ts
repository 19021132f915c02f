import type { Pod, PodAffinityTerm, PodSpec } from '../generated/core.v1.ts';
import { labelMatcher } from '../validation/label-selector.ts';
import type { Scope } from './evaluator.ts';
import { qualityOfService } from './quality-of-service.ts';

function reachesOtherNamespaces({ affinity }: PodSpec): boolean {
  const terms: PodAffinityTerm[] = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((kind) => [
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
  ]);
  return terms.some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector != null);
}

/** Whether a pod is in a scope. A pod is in no unknown scope. */
export function podInScope({ spec }: Pod, { scopeName, operator, values }: Scope): boolean {
  const pod = spec ?? { containers: [] };
  switch (scopeName) {
    case 'Terminating':
      return pod.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return pod.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return qualityOfService(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qualityOfService(pod) !== 'BestEffort';
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    case 'PriorityClass': {
      const name = pod.priorityClassName ?? '';
      const matches = labelMatcher({ matchExpressions: [{ key: scopeName, operator, values: values ?? null }] });
      return matches(name === '' ? {} : { [scopeName]: name });
    }
    default:
      return false;
  }
}
