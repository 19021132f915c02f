import type { PriorityLevelConfiguration } from '../../generated/flowcontrol.apiserver.v1beta2.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

const DEFAULTS = { assuredConcurrencyShares: 30, queues: 64, handSize: 8, queueLengthLimit: 50 };

function defaults(object: ApiObject): void {
  const { limited } = (object as PriorityLevelConfiguration).spec ?? {};
  if (limited === undefined) return;
  limited.assuredConcurrencyShares ||= DEFAULTS.assuredConcurrencyShares;
  const queuing = limited.limitResponse?.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= DEFAULTS.queues;
  queuing.handSize ||= DEFAULTS.handSize;
  queuing.queueLengthLimit ||= DEFAULTS.queueLengthLimit;
}

/** What is filled in of priority level configurations, in each of their versions. */
export const priorityLevelConfigurationVersions = {
  v1beta1: { defaults },
  v1beta2: { defaults },
} satisfies KindVersions;
