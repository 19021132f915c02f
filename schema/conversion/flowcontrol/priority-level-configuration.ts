import type { PriorityLevelConfiguration as Level1 } from '../../generated/flowcontrol.apiserver.v1.ts';
import type { PriorityLevelConfiguration as Level } from '../../generated/flowcontrol.apiserver.v1beta2.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';

const SHARES = 30;
const QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 };
/** The annotation of a level with zero shares, for versions in which zero shares mean that the field is unset. */
const NO_SHARES = 'flowcontrol/v1beta3-preserve-zero-concurrency-shares';

type Limited = NonNullable<NonNullable<Level['spec']>['limited'] | NonNullable<Level1['spec']>['limited']>;

function defaultQueuing({ limitResponse }: Limited): void {
  const queuing = limitResponse?.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= QUEUING.queues;
  queuing.handSize ||= QUEUING.handSize;
  queuing.queueLengthLimit ||= QUEUING.queueLengthLimit;
}

function defaults(object: ApiObject, { naming }: VersionContext): void {
  const { limited } = (object as Level).spec ?? {};
  if (limited === undefined) return;
  const mayHaveNone = Object.hasOwn(object.metadata.annotations ?? {}, naming.key(NO_SHARES));
  if (!mayHaveNone) limited.assuredConcurrencyShares ||= SHARES;
  defaultQueuing(limited);
}

/** The defaults and conversions of priority level configurations in each version. */
export const priorityLevelConfigurationVersions = {
  v1: {
    defaults(object) {
      const { limited } = (object as Level1).spec ?? {};
      if (limited !== undefined) defaultQueuing(limited);
    },
    toStorage(object, { naming }) {
      const { limited } = (object as Level1).spec ?? {};
      if (limited === undefined) return object;
      const { nominalConcurrencyShares = SHARES, ...rest } = limited;
      Object.assign((object as Level).spec!, {
        limited: { assuredConcurrencyShares: nominalConcurrencyShares, ...rest },
      });
      if (nominalConcurrencyShares !== 0) return object;
      object.metadata.annotations = { ...object.metadata.annotations, [naming.key(NO_SHARES)]: '' };
      return object;
    },
    fromStorage(object, { naming }) {
      const { limited } = (object as Level).spec ?? {};
      if (limited === undefined) return object;
      const { assuredConcurrencyShares, ...rest } = limited;
      Object.assign((object as Level1).spec!, {
        limited: { nominalConcurrencyShares: assuredConcurrencyShares, ...rest },
      });
      const { annotations } = object.metadata;
      if (annotations !== undefined) {
        delete annotations[naming.key(NO_SHARES)];
        if (Object.keys(annotations).length === 0) delete object.metadata.annotations;
      }
      return object;
    },
  },
  v1beta1: { defaults },
  v1beta2: { defaults },
} satisfies KindVersions;
