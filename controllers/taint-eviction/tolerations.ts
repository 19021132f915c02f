import type { Taint, Toleration } from '#schema/generated/core.v1.ts';

/** Whether a toleration tolerates a taint. */
export function tolerates({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/**
 * The number of seconds for which a pod may stay on a node with these taints. It is 0 if the pod does not tolerate all
 * of them, and Infinity if it tolerates them forever.
 */
export function toleratedSeconds(tolerations: readonly Toleration[] = [], taints: readonly Taint[]): number {
  let seconds = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const found = tolerations.find((toleration) => tolerates(toleration, taint));
    if (found === undefined) return 0;
    seconds = Math.min(seconds, Math.max(0, found.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return seconds;
}
