import type { HorizontalPodAutoscaler, MetricStatus } from '#schema/generated/autoscaling.v2.ts';
import { type Condition, timeText } from '../pods/conditions.ts';
import type { Proposal } from './metric-proposal.ts';
import { type History, limit } from './scaling-limits.ts';

/** The next step of an autoscaler for its target. */
export interface AutoscalerStep {
  /** The new number of replicas of the target, and the reason. Absent if the number does not change. */
  readonly rescale?: { readonly replicas: number; readonly reason: string };
  /** The number that the metrics ask for, before limits. Absent if the metrics were not read or gave no number. */
  readonly recommended?: number;
  /** The measured values. Absent if the previous values stay. */
  readonly currentMetrics?: readonly MetricStatus[];
  readonly conditions: readonly WantedCondition[];
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The input of a decision. */
export interface Measured {
  /** The number of replicas that the target wants. */
  readonly replicas: number;
  /**
   * The number of replicas that each metric asks for. {@link stepOf} calls it. Rejects if the pods of the target cannot
   * be identified.
   */
  readonly proposals: () => Promise<readonly Proposal[]>;
  readonly history: History;
  /** How long a higher recommendation prevents a reduction of the target, if its rules do not set a time. */
  readonly downscaleMs: number;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** The error about a target without a selector or with a malformed one. */
export class SelectorError extends Error {}

const ABLE: WantedCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

/**
 * The next step of an autoscaler. It keeps the size of its target within the limits. Within them, the metrics decide.
 */
export async function stepOf(autoscaler: HorizontalPodAutoscaler, measured: Measured): Promise<AutoscalerStep> {
  const { minReplicas = 1, maxReplicas, behavior } = autoscaler.spec!;
  const { replicas, proposals, history, downscaleMs, now } = measured;
  if (replicas === 0 && minReplicas !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    return { conditions: [ABLE, active('False', 'ScalingDisabled', message)], warnings: [] };
  }
  if (replicas > maxReplicas) return outside(maxReplicas, 'Current number of replicas above Spec.MaxReplicas');
  if (replicas < minReplicas) return outside(minReplicas, 'Current number of replicas below Spec.MinReplicas');
  let all: readonly Proposal[];
  try {
    all = await proposals();
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { message } = error;
    const warnings = [{ reason: 'SelectorRequired', message: 'selector is required' }];
    return { conditions: [ABLE, active('False', 'InvalidSelector', message)], warnings };
  }
  const good = all.flatMap((one) => ('status' in one ? [one] : []));
  const bad = all.flatMap((one) => ('status' in one ? [] : [one]));
  const [first] = bad;
  const most = good.reduce<(typeof good)[number] | undefined>(
    (a, b) => (a === undefined || b.replicas > a.replicas ? b : a),
    undefined,
  );
  const said = bad.map(({ reason, cause }) => ({ reason, message: cause }));
  // A missing metric may ask for more replicas, so their number is not reduced without it.
  if (first !== undefined && (most === undefined || most.replicas < replicas)) {
    const [total, count] = [all.length, bad.length];
    const summary = `invalid metrics (${count} invalid out of ${total}), first error is: ${first.failure}: ${first.cause}`;
    const message = `the HPA was unable to compute the replica count: ${first.cause}`;
    return {
      conditions: [ABLE, active('False', first.reason, message)],
      warnings: [...said, { reason: 'FailedComputeMetricsReplicas', message: summary }],
    };
  }
  if (most === undefined) return { conditions: [ABLE], warnings: [] };
  const limits = { current: replicas, min: minReplicas, max: maxReplicas, downscaleMs, now };
  const limited = limit(most.replicas, limits, history, behavior);
  const { isLimited, ...why } = limited.limited;
  const message = `the HPA was able to successfully calculate a replica count from ${most.from}`;
  const wanted = limited.replicas;
  const reason = most.replicas > replicas ? `${most.from} above target` : 'All metrics below target';
  return {
    ...(wanted === replicas ? {} : { rescale: { replicas: wanted, reason } }),
    recommended: most.replicas,
    currentMetrics: good.map(({ status }) => status),
    conditions: [
      { ...ABLE, ...limited.stabilized },
      active('True', 'ValidMetricFound', message),
      { type: 'ScalingLimited', status: isLimited ? 'True' : 'False', ...why },
    ],
    warnings: said,
  };
}

function active(status: WantedCondition['status'], reason: string, message: string): WantedCondition {
  return { type: 'ScalingActive', status, reason, message };
}

function outside(replicas: number, reason: string): AutoscalerStep {
  return { conditions: [ABLE], warnings: [], rescale: { replicas, reason } };
}

/**
 * Sets some conditions. Each keeps its place. It also keeps the time of its last transition if its status does not
 * change.
 */
export function withConditions<C extends Condition>(
  before: readonly C[],
  wanted: readonly WantedCondition[],
  now: number,
): C[] {
  const next = [...before];
  for (const { type, status, reason, message } of wanted) {
    const at = next.findIndex((condition) => condition.type === type);
    const since = next[at]?.status === status ? next[at].lastTransitionTime : timeText(now);
    const condition = { type, status, lastTransitionTime: since, reason, message } as unknown as C;
    if (at < 0) next.push(condition);
    else next[at] = condition;
  }
  return next;
}
