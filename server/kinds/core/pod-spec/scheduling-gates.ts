import { duplicate, type FieldError, type FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { qualifiedName } from '#schema/validation/names.ts';

/** Whether gates delay the scheduling of a pod. */
export function isGated({ schedulingGates }: Partial<PodSpec>): boolean {
  return (schedulingGates ?? []).length > 0;
}

/** Validates scheduling gates. Their names are unique, and a pod with gates has no node. */
export function validateSchedulingGates(spec: PodSpec, path: FieldPath): FieldError[] {
  const at = path.child('schedulingGates');
  const seen = new Set<string>();
  const errors = (spec.schedulingGates ?? []).flatMap(({ name }, i) => {
    const own = qualifiedName(name).map((problem) => invalidValue(at.index(i), name, problem));
    if (seen.has(name)) own.push(duplicate(at.index(i), name));
    seen.add(name);
    return own;
  });
  if (isGated(spec) && spec.nodeName)
    errors.push(forbiddenField(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  return errors;
}

/** Validates a change of gates. They can only be removed. */
export function validateGatesUpdate(spec: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, i) =>
    before.has(name)
      ? []
      : [
          forbiddenField(
            path.child('schedulingGates').index(i).child('name'),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** Validates a change of a gated pod. Its node selector and its required node terms may only become narrower. */
export function validateNarrowing(spec: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const before = Object.entries(old.nodeSelector ?? {});
  if (before.some(([key, value]) => spec.nodeSelector?.[key] !== value)) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalidValue(path.child('nodeSelector'), spec.nodeSelector ?? {}, detail));
  }
  return [...errors, ...validateTermsNarrowing(spec, old, path)];
}

function termsOf({ affinity }: PodSpec) {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

function validateTermsNarrowing(spec: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  const at = path
    .child('affinity')
    .child('nodeAffinity')
    .child('requiredDuringSchedulingIgnoredDuringExecution')
    .child('nodeSelectorTerms');
  const [now, before] = [termsOf(spec), termsOf(old)];
  if (before.length === 0 || semanticallyEqual(now, before)) return [];
  if (now.length !== before.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalidValue(at, now.length === 0 ? null : now, detail)];
  }
  return now.flatMap((term, i) => {
    const was = before[i]!;
    const keeps = (['matchExpressions', 'matchFields'] as const).every((list) =>
      (was[list] ?? []).every((requirement, k) => semanticallyEqual(requirement, term[list]?.[k])),
    );
    const detail = 'only additions are allowed (no mutations or deletions)';
    return keeps ? [] : [invalidValue(at.index(i), term, detail)];
  });
}

/** The new spec with the old values of the parts that may be narrowed. */
export function withOldDirectives(spec: Record<string, unknown>, old: PodSpec): Record<string, unknown> {
  const affinity = (spec['affinity'] as PodSpec['affinity']) ?? {};
  const required = old.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...others } = affinity.nodeAffinity ?? {};
  const nodeAffinity =
    required === undefined ? others : { ...others, requiredDuringSchedulingIgnoredDuringExecution: required };
  const hasNodes = Object.keys(nodeAffinity).length > 0 || old.affinity?.nodeAffinity !== undefined;
  const { nodeAffinity: _nodes, ...rest } = affinity;
  const whole = { ...rest, ...(hasNodes && { nodeAffinity }) };
  return {
    ...spec,
    nodeSelector: old.nodeSelector,
    affinity: Object.keys(whole).length === 0 && old.affinity === undefined ? undefined : whole,
  };
}

/** The status of a pod as long as it has gates. */
const GATED_CONDITION = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;

/** Records in the status of a pod that it is gated. The condition stays after the gates are removed. */
export function markGated(pod: Pod, now: string): void {
  const status = (pod.status ??= {});
  const conditions = status.conditions ?? [];
  if (!isGated(pod.spec ?? {}) || conditions.some(({ type }) => type === GATED_CONDITION.type)) return;
  status.conditions = [...conditions, { ...GATED_CONDITION, lastProbeTime: null, lastTransitionTime: now }];
}
