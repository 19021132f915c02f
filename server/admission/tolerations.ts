import type { Toleration } from '#schema/generated/core.v1.ts';

function same(a: Toleration, b: Toleration): boolean {
  return (
    (a.key ?? '') === (b.key ?? '') &&
    (a.operator ?? '') === (b.operator ?? '') &&
    (a.value ?? '') === (b.value ?? '') &&
    (a.effect ?? '') === (b.effect ?? '') &&
    a.tolerationSeconds === b.tolerationSeconds
  );
}

/** Whether everything that one toleration tolerates another does too. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true;
  const operator = wide.operator ?? '';
  const anyKey = (wide.key ?? '') === '' && operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !anyKey) return false;
  if ((wide.effect ?? '') !== '' && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  if (operator !== '' && operator !== 'Equal') return false;
  return narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}

/** The tolerations of both lists, without those that another one covers. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    if (merged.some((kept) => covers(kept, toleration))) continue;
    if (all.slice(i + 1).some((later) => !same(later, toleration) && covers(later, toleration))) continue;
    merged.push(toleration);
  }
  return merged;
}
