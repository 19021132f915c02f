import { ApiError } from '#client/errors.ts';
import { autoscalingV2, coreV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  HPAScalingRules,
} from '#schema/generated/autoscaling.v2.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { controller, need, type Term } from '../controller.ts';
import { timeText } from '../pods/conditions.ts';
import { writeStatus } from '../pods/write-status.ts';
import { type AutoscalerStep, SelectorError, stepOf, withConditions } from './autoscaler-step.ts';
import { type Judging, type Proposal, proposalOf } from './metric-proposal.ts';
import { MetricsReader, milliOf } from './metrics-reader.ts';
import { type History, memoryMs } from './scaling-limits.ts';

const TYPE = autoscalingV2.horizontalpodautoscalers;

type Scaled = ApiObject & {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
};

/** The history of each autoscaler, by its uid. */
type Histories = Map<string, History>;

/** The place at which the scale of a target is read and written. */
interface Target {
  readonly scales: ResourceClient<Scaled>;
  readonly scale: Scaled;
}

/**
 * Gives the targets of autoscalers the number of replicas that their metrics ask for, within their limits. Extension
 * servers serve the metrics. If there are none, the status of each autoscaler reports this.
 */
export const horizontalAutoscalerController = controller({
  name: 'horizontalpodautoscaling',
  account: 'horizontal-pod-autoscaler',
  needs: [need(TYPE, { fields: ['spec', 'status'] })],

  start(term) {
    const { informer, queue, flags, signal } = term;
    const copies = informer(TYPE);
    const histories: Histories = new Map();
    const afterMs = flags.get('horizontal-pod-autoscaler-sync-period');
    const keys = queue(
      async (key) => {
        const copy = copies.get(key);
        if (copy?.spec === undefined || copy.metadata.deletionTimestamp) return undefined;
        await look(term, copy, histories);
        return { afterMs };
      },
      { workers: flags.get('concurrent-horizontal-pod-autoscaler-syncs') },
    );
    const changed = (autoscaler: HorizontalPodAutoscaler) => keys.add(keyOf(autoscaler));
    copies.on(
      {
        added: changed,
        // A change of only the autoscaler's status does not cause another check.
        updated: (now, before) => now.metadata.generation !== before.metadata.generation && changed(now),
        deleted: ({ metadata }) => histories.delete(metadata.uid ?? ''),
      },
      signal,
    );
  },
});

async function look(term: Term, copy: HorizontalPodAutoscaler, histories: Histories): Promise<void> {
  const { client, events, flags, log, now } = term;
  const { namespace, name, uid = '' } = copy.metadata;
  const before = copy.status;
  const write = (status: Partial<HorizontalPodAutoscalerStatus>) => {
    const { desiredReplicas = 0, ...rest } = { ...before, ...status };
    return writeStatus(client, TYPE, copy, { currentMetrics: null, ...rest, desiredReplicas });
  };
  let target: Target;
  try {
    target = await targetOf(term, copy);
  } catch (error) {
    const { message } = error as Error;
    events.warn(TYPE, copy, 'FailedGetScale', message);
    const said = `the HPA controller was unable to get the target's current scale: ${message}`;
    const conditions = [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message: said } as const];
    await write({ conditions: withConditions(before?.conditions ?? [], conditions, now()) });
    return;
  }
  const currentReplicas = target.scale.spec?.replicas ?? 0;
  const downscaleMs = flags.get('horizontal-pod-autoscaler-downscale-stabilization');
  const at = now();
  const known = histories.get(uid) ?? { recommended: [{ replicas: currentReplicas, at }], changes: [] };
  const oldest = at - memoryMs(copy.spec?.behavior, downscaleMs);
  const history: History = {
    recommended: known.recommended.filter((one) => one.at > oldest),
    changes: known.changes.filter((one) => one.at > oldest),
  };
  const proposals = () => proposalsOf(term, copy, target.scale);
  const step = await stepOf(copy, { replicas: currentReplicas, proposals, history, downscaleMs, now: at });
  const { recommended } = step;
  const more = recommended === undefined ? [] : [{ replicas: recommended, at }];
  const changes = [...history.changes];
  const conditions = [...step.conditions];
  let done: Partial<HorizontalPodAutoscalerStatus> = {};
  if (step.rescale !== undefined) {
    const said = await rescaled(term, copy, target, step.rescale);
    conditions.push(said);
    if (said.status === 'True') {
      done = { desiredReplicas: step.rescale.replicas, lastScaleTime: timeText(now()) };
      changes.push({ by: step.rescale.replicas - currentReplicas, at });
      log.info({ namespace, name, ...step.rescale }, 'an autoscaler has scaled its target');
    }
  } else if (currentReplicas === 0 || recommended !== undefined) done = { desiredReplicas: currentReplicas };
  histories.set(uid, { recommended: [...history.recommended, ...more], changes });
  for (const { reason, message } of step.warnings) events.warn(TYPE, copy, reason, message);
  const { currentMetrics } = step;
  const measured = currentMetrics === undefined ? {} : { currentMetrics: [...currentMetrics] };
  await write({
    currentReplicas,
    ...measured,
    ...done,
    conditions: withConditions(before?.conditions ?? [], conditions, now()),
  });
}

/**
 * The number of replicas that each metric of an autoscaler asks for. @throws SelectorError if the target does not
 * select its pods
 */
async function proposalsOf(
  { client, reader, discovery, flags, now }: Term,
  { metadata, spec }: HorizontalPodAutoscaler,
  scale: Scaled,
): Promise<readonly Proposal[]> {
  const { selector = '', replicas = 0 } = scale.status ?? {};
  if (selector === '') throw new SelectorError("the HPA target's scale is missing a selector");
  const { namespace = '' } = metadata;
  let read: Promise<readonly Pod[]> | undefined;
  const pods = () => {
    read ??= reader
      .resource(coreV1.pods)
      .in(namespace)
      .list({ labelSelector: selector, resourceVersion: '0' })
      .then(({ items }) => items);
    return read;
  };
  const common = flags.get('horizontal-pod-autoscaler-tolerance');
  const toleranceOf = (rules: HPAScalingRules | undefined) =>
    rules?.tolerance ? milliOf(rules.tolerance) / 1000 : common;
  const judging: Judging = {
    ...{ namespace, selector, pods, reader: new MetricsReader(client, discovery), now: now() },
    ...{ wanted: scale.spec?.replicas ?? 0, there: replicas },
    times: {
      cpuInitializationMs: flags.get('horizontal-pod-autoscaler-cpu-initialization-period'),
      initialReadinessMs: flags.get('horizontal-pod-autoscaler-initial-readiness-delay'),
    },
    tolerance: { up: toleranceOf(spec?.behavior?.scaleUp), down: toleranceOf(spec?.behavior?.scaleDown) },
  };
  return Promise.all((spec?.metrics ?? []).map((metric) => proposalOf(metric, judging)));
}

async function targetOf({ client, discovery }: Term, { metadata, spec }: HorizontalPodAutoscaler): Promise<Target> {
  const { apiVersion = '', kind, name } = spec!.scaleTargetRef;
  const type = (await discovery.get()).ofKind(apiVersion, kind);
  if (type === undefined || !type.subresources.includes('scale'))
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(apiVersion)}`);
  const scales = client.resource(type as ResourceType<Scaled>).in(type.namespaced ? metadata.namespace : undefined);
  return { scales, scale: await scales.get(name, { subresource: 'scale' }) };
}

/**
 * Writes the number of replicas, unless the target has changed in the meantime. Resolves to the condition with the
 * outcome.
 */
async function rescaled(
  { events }: Term,
  copy: HorizontalPodAutoscaler,
  { scales, scale }: Target,
  { replicas, reason }: NonNullable<AutoscalerStep['rescale']>,
) {
  const size = `New size: ${replicas}; reason: ${reason}`;
  try {
    await scales.update({ ...scale, spec: { ...scale.spec, replicas } }, { subresource: 'scale' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    events.warn(TYPE, copy, 'FailedRescale', `${size}; error: ${error.message}`);
    const message = `the HPA controller was unable to update the target scale: ${error.message}`;
    return { type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale', message } as const;
  }
  events.normal(TYPE, copy, 'SuccessfulRescale', size);
  const message = `the HPA controller was able to update the target scale to ${replicas}`;
  return { type: 'AbleToScale', status: 'True', reason: 'SucceededRescale', message } as const;
}
