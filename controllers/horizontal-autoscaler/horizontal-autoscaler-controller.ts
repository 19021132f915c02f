import { ApiError } from '#client/errors.ts';
import { autoscalingV2 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus } from '#schema/generated/autoscaling.v2.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { controller, need, type Term } from '../controller.ts';
import { timeText } from '../pods/conditions.ts';
import { writeStatus } from '../pods/write-status.ts';
import { type AutoscalerStep, stepOf, withSaid } from './autoscaler-step.ts';

const TYPE = autoscalingV2.horizontalpodautoscalers;

type Scaled = ApiObject & { spec?: { replicas?: number } };

/** Where the scale of a target is read and written. */
interface Target {
  readonly scales: ResourceClient<Scaled>;
  readonly scale: Scaled;
}

/**
 * Keeps the targets of autoscalers between their minimum and maximum numbers of replicas. It reads no metrics; the
 * status of each autoscaler says so.
 */
export const horizontalAutoscalerController = controller({
  name: 'horizontalpodautoscaling',
  account: 'horizontal-pod-autoscaler',
  needs: [need(TYPE, { fields: ['spec', 'status'] })],

  start(term) {
    const { informer, queue, flags, signal } = term;
    const copies = informer(TYPE);
    const afterMs = flags.get('horizontal-pod-autoscaler-sync-period');
    const keys = queue(
      async (key) => {
        const copy = copies.get(key);
        if (copy?.spec === undefined || copy.metadata.deletionTimestamp) return undefined;
        await look(term, copy);
        return { afterMs };
      },
      { workers: flags.get('concurrent-horizontal-pod-autoscaler-syncs') },
    );
    const changed = (autoscaler: HorizontalPodAutoscaler) => keys.add(keyOf(autoscaler));
    copies.on(
      {
        added: changed,
        // A change of the autoscaler's own status is no reason to look again.
        updated: (now, before) => now.metadata.generation !== before.metadata.generation && changed(now),
      },
      signal,
    );
  },
});

async function look(term: Term, copy: HorizontalPodAutoscaler): Promise<void> {
  const { client, events, log, now } = term;
  const { namespace, name } = copy.metadata;
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
    await write({ conditions: withSaid(before?.conditions ?? [], conditions, now()) });
    return;
  }
  const currentReplicas = target.scale.spec?.replicas ?? 0;
  const step = stepOf(copy, currentReplicas);
  const conditions = [...step.conditions];
  let done: Partial<HorizontalPodAutoscalerStatus> = {};
  if (step.rescale !== undefined) {
    const said = await rescaled(term, copy, target, step.rescale);
    conditions.push(said);
    if (said.status === 'True') {
      done = { desiredReplicas: step.rescale.replicas, lastScaleTime: timeText(now()) };
      log.info({ namespace, name, ...step.rescale }, 'gave the target of an autoscaler another number of replicas');
    }
  } else if (currentReplicas === 0) done = { desiredReplicas: 0 };
  for (const { reason, message } of step.warnings) events.warn(TYPE, copy, reason, message);
  await write({ currentReplicas, ...done, conditions: withSaid(before?.conditions ?? [], conditions, now()) });
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
 * Writes the number of replicas, unless the target has changed meanwhile. Resolves to the condition with the outcome.
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
