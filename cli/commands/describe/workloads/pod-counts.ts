import { coreV1 } from '#client/generated/resources.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { DescribeContext } from '../describer.ts';
import { controllerOf, listAll } from '../related.ts';

/** The phases of pods in the order in which descriptions count them, by the words of descriptions. */
const phases = { Running: 'Running', Waiting: 'Pending', Succeeded: 'Succeeded', Failed: 'Failed' } as const;

/** The number of pods of a workload in each phase. @throws ApiError if the user may not read them */
export async function podCountsText(
  object: ApiObject,
  labelSelector: string,
  context: DescribeContext,
): Promise<string> {
  const { namespace, uid } = object.metadata;
  const pods = await listAll(context, coreV1.pods, namespace, { labelSelector });
  const own = pods.filter((pod) => controllerOf(pod)?.uid === uid);
  const count = (phase: string) => own.filter(({ status }) => status?.phase === phase).length;
  return Object.entries(phases)
    .map(([word, phase]) => `${count(phase)} ${word}`)
    .join(' / ');
}
