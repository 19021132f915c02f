import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
} from '#schema/generated/autoscaling.v2.ts';

/** A number of replicas that metrics asked for, and the time in milliseconds since 1970. */
export interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

/** The memory of an autoscaler: its recommendations, and the changes of its target's size. */
export interface History {
  readonly recommended: readonly Recommendation[];
  /** The changes of the size. An increase is positive. */
  readonly changes: readonly { readonly by: number; readonly at: number }[];
}

export interface Limits {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  /** How long a higher recommendation prevents a reduction of the target, if its rules do not set a time. */
  readonly downscaleMs: number;
  readonly now: number;
}

/** The reason and the message of a condition. */
export interface Why {
  readonly reason: string;
  readonly message: string;
}

/** The result of limits on a recommended number. */
export interface Limited {
  readonly replicas: number;
  /** The effect of earlier recommendations. */
  readonly stabilized: Why;
  /** The effect of limits, and whether they changed the number. */
  readonly limited: Why & { readonly isLimited: boolean };
}

const READY: Why = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const UP: Why = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DOWN: Why = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const WITHIN: Why = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const TOO_MANY: Why = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FEW: Why = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const UP_RATE: Why = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_RATE: Why = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** A target may double its replicas at once, or reach the second number. */
const UP_FACTOR = 2;
const UP_AT_LEAST = 4;

const RULES: Readonly<Record<'scaleUp' | 'scaleDown', Required<Omit<HPAScalingRules, 'tolerance'>>>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  },
};

/** Limits a recommended number to the range that recent recommendations and the limits of the autoscaler allow. */
export function limit(
  recommended: number,
  limits: Limits,
  history: History,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
): Limited {
  return behavior === undefined
    ? byDefault(recommended, limits, history)
    : byRules(recommended, limits, history, behavior);
}

function byDefault(recommended: number, { current, min, max, downscaleMs, now }: Limits, history: History): Limited {
  const replicas = Math.max(recommended, ...since(history.recommended, now - downscaleMs));
  const stabilized = replicas === recommended ? READY : DOWN;
  if (replicas < min) return { replicas: min, stabilized, limited: { ...TOO_FEW, isLimited: true } };
  const rate = Math.max(UP_FACTOR * current, UP_AT_LEAST);
  const [most, why] = max > rate ? [rate, UP_RATE] : [max, TOO_MANY];
  if (replicas > most) return { replicas: most, stabilized, limited: { ...why, isLimited: true } };
  return { replicas, stabilized, limited: { ...WITHIN, isLimited: false } };
}

function byRules(
  recommended: number,
  { current, min, max, downscaleMs, now }: Limits,
  { recommended: before, changes }: History,
  behavior: HorizontalPodAutoscalerBehavior,
): Limited {
  const up = { ...RULES.scaleUp, ...present(behavior.scaleUp) };
  const downWindow = behavior.scaleDown?.stabilizationWindowSeconds ?? downscaleMs / 1000;
  const down = { ...RULES.scaleDown, ...present(behavior.scaleDown) };
  const lowest = Math.min(recommended, ...since(before, now - up.stabilizationWindowSeconds * 1000));
  const highest = Math.max(recommended, ...since(before, now - downWindow * 1000));
  const wanted = Math.min(Math.max(current, lowest), highest);
  const stabilized = wanted === recommended ? READY : recommended >= current ? UP : DOWN;
  const unlimited = { replicas: wanted, stabilized, limited: { ...WITHIN, isLimited: false } };
  if (wanted > current) {
    const rate = Math.max(current, rateLimit(up, current, changes, now, Math.max, Math.min, 1));
    const [most, why] = max > rate ? [rate, UP_RATE] : [max, TOO_MANY];
    return wanted > most ? { replicas: most, stabilized, limited: { ...why, isLimited: true } } : unlimited;
  }
  if (wanted < current) {
    const rate = Math.min(current, rateLimit(down, current, changes, now, Math.min, Math.max, -1));
    const [least, why] = min < rate ? [rate, DOWN_RATE] : [min, TOO_FEW];
    return wanted < least ? { replicas: least, stabilized, limited: { ...why, isLimited: true } } : unlimited;
  }
  return unlimited;
}

/**
 * The number that policies allow now. Of several policies, the result is furthest from the current number, or with
 * `Min` the nearest to it.
 */
function rateLimit(
  { selectPolicy, policies }: { selectPolicy: string; policies: readonly HPAScalingPolicy[] },
  current: number,
  changes: History['changes'],
  now: number,
  furthest: (...numbers: number[]) => number,
  nearest: (...numbers: number[]) => number,
  sign: 1 | -1,
): number {
  if (selectPolicy === 'Disabled') return current;
  const allowed = policies.map(({ type, value, periodSeconds }) => {
    const recent = changes.filter(({ at }) => at > now - periodSeconds * 1000);
    const atStart = current - recent.reduce((sum, { by }) => sum + by, 0);
    if (type === 'Pods') return atStart + sign * value;
    const share = atStart * (1 + (sign * value) / 100);
    return sign > 0 ? Math.ceil(share) : Math.trunc(share);
  });
  return (selectPolicy === 'Min' ? nearest : furthest)(...allowed);
}

function since(recommended: readonly Recommendation[], from: number): number[] {
  return recommended.filter(({ at }) => at > from).map(({ replicas }) => replicas);
}

function present<T extends object>(rules: T | undefined): Partial<Required<T>> {
  return Object.fromEntries(
    Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<Required<T>>;
}

/** How long recommendations and changes must be remembered, in milliseconds. */
export function memoryMs(behavior: HorizontalPodAutoscalerBehavior | undefined, downscaleMs: number): number {
  const rules = [behavior?.scaleUp, behavior?.scaleDown];
  const seconds = rules.flatMap((rule) => [
    rule?.stabilizationWindowSeconds ?? 0,
    ...(rule?.policies ?? []).map(({ periodSeconds }) => periodSeconds),
  ]);
  return Math.max(downscaleMs, ...seconds.map((one) => one * 1000));
}
