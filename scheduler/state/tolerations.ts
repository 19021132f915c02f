import type { Taint, Toleration } from '#schema/generated/core.v1.ts';

/** Whether a toleration accepts a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') === '') return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}

/** The first of some taints that no toleration accepts. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | null | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect) && !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
}
