import { table } from '#base/collections/own-properties.ts';
import type { Release } from '#base/release/release.ts';
import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';

/** The name of the flow schema and the priority level of requests that never wait. */
export const EXEMPT = 'exempt';
/** The name of the flow schema and the priority level for requests that match no other schema. */
export const CATCH_ALL = 'catch-all';

const everything: Pick<NonNullable<FlowSchemaSpec['rules']>[number], 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const groups = (...names: string[]) => names.map((name) => ({ kind: 'Group', group: { name } }));

/** Flow schemas that every server has and that must not be changed. */
export const MANDATORY_FLOW_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = table({
  [EXEMPT]: {
    priorityLevelConfiguration: { name: EXEMPT },
    matchingPrecedence: 1,
    rules: [{ subjects: groups('system:masters'), ...everything }],
  },
  [CATCH_ALL]: {
    priorityLevelConfiguration: { name: CATCH_ALL },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...everything }],
  },
});

/** Priority levels that every server has and that must not be changed, by name. Later releases also write defaults. */
export function mandatoryPriorityLevels(release: Release): Readonly<Record<string, PriorityLevelConfigurationSpec>> {
  const reject = { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } };
  return table<PriorityLevelConfigurationSpec>({
    [EXEMPT]: release.atLeast(28)
      ? { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }
      : { type: 'Exempt' },
    [CATCH_ALL]: { type: 'Limited', limited: release.atLeast(26) ? { ...reject, lendablePercent: 0 } : reject },
  });
}
