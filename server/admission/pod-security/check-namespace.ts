import { invalid } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { Namespace, Pod } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Evaluate } from './evaluate.ts';
import type { PodSecurityConfiguration } from './pod-security-configuration.ts';
import {
  isStricter,
  modes,
  type Policy,
  type policyReader,
  type Standard,
  sameStandard,
  shownStandard,
} from './policy.ts';

/** The largest number of pods of a namespace that are evaluated when its policy changes. */
const MOST_PODS = 3000;

/**
 * The pods in another order: the first pod of every controller comes before its other pods, because these give the same
 * results.
 */
function variedFirst(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const again: Pod[] = [];
  const first = pods.filter((pod) => {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
    if (controller === undefined || !seen.has(controller)) {
      if (controller !== undefined) seen.add(controller);
      return true;
    }
    again.push(pod);
    return false;
  });
  return [...first, ...again];
}

/**
 * The warnings about the pods of a namespace that a level would refuse. One warning names all pods that violate the
 * same controls.
 */
function existingViolations(
  cluster: ClusterView,
  evaluate: Evaluate,
  { runtimeClasses }: PodSecurityConfiguration,
  namespace: string,
  enforced: Standard,
): string[] {
  const pods = cluster.list<Pod>('', 'pods', `${namespace}/`);
  const byReason = new Map<string, string[]>();
  for (const { metadata, spec } of variedFirst(pods).slice(0, MOST_PODS)) {
    if (spec === undefined || runtimeClasses.has(spec.runtimeClassName ?? '')) continue;
    const violations = evaluate(enforced, { annotations: metadata.annotations ?? {}, spec });
    if (violations.length === 0) continue;
    const reasons = violations.map(({ reason }) => reason).join(', ');
    byReason.set(reasons, [...(byReason.get(reasons) ?? []), metadata.name!]);
  }
  const warnings: string[] = [];
  if (pods.length > MOST_PODS) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MOST_PODS} of ${pods.length} existing pods`,
    );
  }
  if (byReason.size === 0) return warnings;
  const level = JSON.stringify(shownStandard(enforced));
  warnings.push(
    `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${level}`,
  );
  const perReason = [...byReason].map(([reasons, [first, ...others]]) => {
    const count = others.length;
    const more = count === 0 ? '' : ` (and ${count} other ${count === 1 ? 'pod' : 'pods'})`;
    return `${first}${more}: ${reasons}`;
  });
  return [...warnings, ...perReason.sort()];
}

/** The warning that a policy has no effect in an exempt namespace; undefined if the policy restricts nothing. */
function exemptWarning(namespace: string, policy: Policy, { defaults }: PodSecurityConfiguration): string | undefined {
  const shown = modes
    .filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${shownStandard(policy[mode])}`);
  if (shown.length === 0 || modes.every((mode) => sameStandard(policy[mode], defaults[mode]))) return undefined;
  return `namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${shown.join(', ')}) will be ignored`;
}

/** Checks the policy labels of a namespace, and warns about their effect on its pods. */
export function namespaceCheck(
  cluster: ClusterView,
  evaluate: Evaluate,
  read: ReturnType<typeof policyReader>,
  configuration: PodSecurityConfiguration,
): (request: AdmissionRequest) => void {
  return ({ object, oldObject, context }) => {
    const { metadata } = object as Namespace;
    const name = metadata.name!;
    const { policy, errors } = read(metadata.labels);
    const before = oldObject === undefined ? undefined : read(oldObject.metadata.labels);
    const changed = !jsonEqual(errors, before?.errors ?? []);
    if (errors.length > 0 && changed) throw invalid({ group: '', kind: 'Namespace' }, name, errors);
    const { enforce } = policy;
    const old = before?.policy.enforce;
    if (old !== undefined) {
      const relaxed = enforce.version === old.version && !isStricter(enforce.level, old.level);
      if (enforce.level === 'privileged' || relaxed || sameStandard(enforce, old)) return;
    }
    if (configuration.namespaces.has(name)) {
      const warning = exemptWarning(name, policy, configuration);
      if (warning !== undefined) context.warnings.add(warning);
      return;
    }
    if (old === undefined) return;
    for (const warning of existingViolations(cluster, evaluate, configuration, name, enforce)) {
      context.warnings.add(warning);
    }
  };
}
