/** The fields that the conditions of all kinds have. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

/** The wanted content of a condition. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** A moment in the form of objects, in seconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * Sets a condition. The time of its last transition stays if the status stays. If its status or reason changes, the
 * condition moves to the end. If nothing changes, the result is the same list.
 */
export function withCondition<C extends Condition>(
  conditions: readonly C[],
  wanted: WantedCondition,
  now: number,
): readonly C[] {
  const before = conditions.find(({ type }) => type === wanted.type);
  if (before?.status === wanted.status && before.reason === wanted.reason && (before.message ?? '') === wanted.message)
    return conditions;
  const lastTransitionTime = before?.status === wanted.status ? before.lastTransitionTime : timeText(now);
  const { type, status, reason, message } = wanted;
  const next = { type, status, lastTransitionTime, reason, ...(message === '' ? {} : { message }) };
  return [...conditions.filter((condition) => condition !== before), next as unknown as C];
}

/** Conditions without those of a type. */
export function withoutCondition<C extends Condition>(conditions: readonly C[], type: string): readonly C[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

/** Counts in the form of a status, without those that are zero. */
export function counts<K extends string>(all: Readonly<Record<K, number>>): Partial<Record<K, number>> {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0)) as Partial<Record<K, number>>;
}
