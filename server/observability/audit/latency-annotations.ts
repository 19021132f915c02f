import type { RequestStages } from '#program/tracing/request-stages.ts';
import { formatDuration } from '#schema/values/duration.ts';
import type { RequestContext } from '../../api/request-context.ts';

/** The duration of a request, in milliseconds, from which the annotations say where its time was spent. */
const SLOW_MS = 500;

/** The parts of a request's processing with an annotation. */
const PARTS: readonly (readonly [name: string, part: (stages: RequestStages) => number])[] = [
  ['etcd', (stages) => stages.of('etcd')],
  ['mutating-webhook', (stages) => stages.webhooks?.admit ?? 0],
  ['response-write', (stages) => stages.of('writing') - stages.of('encoding')],
  ['serialize-response-object', (stages) => stages.of('encoding')],
  ['validating-webhook', (stages) => stages.webhooks?.validate ?? 0],
];

/**
 * The annotations about latency in the last audit event of a request. There are none if the request was short, or if
 * the client chose its duration. `keyOf` gives the key of an annotation by its name.
 */
export function latencyAnnotations(
  { info, stages }: Pick<RequestContext, 'info' | 'stages'>,
  keyOf: (name: string) => string,
  now = performance.now(),
): [key: string, value: string][] {
  const total = now - stages.started;
  if (info.verb === 'watch' || total <= SLOW_MS) return [];
  const parts = PARTS.map(([name, part]) => [name, part(stages)] as const).filter(([, took]) => took > 0);
  if (parts.length === 0) return [];
  return [...parts, ['total', total] as const].map(([name, took]) => [keyOf(name), formatDuration(took)]);
}
