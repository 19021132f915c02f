import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import { MANDATORY_FLOW_SCHEMAS, mandatoryPriorityLevels } from '../kinds/flowcontrol/mandatory.ts';

const QUEUE_LENGTH = 50;

/** The priority levels of a new server, by name. Since 1.26 a level lends a part of its shares to others. */
export function priorityLevels(release: Release): Readonly<Record<string, PriorityLevelConfigurationSpec>> {
  const level = (shares: number, queues: number, handSize: number, lends: number): PriorityLevelConfigurationSpec => {
    const queuing = { queues, handSize, queueLengthLimit: QUEUE_LENGTH };
    const limited = { assuredConcurrencyShares: shares, limitResponse: { type: 'Queue', queuing } };
    return { type: 'Limited', limited: release.atLeast(26) ? { ...limited, lendablePercent: lends } : limited };
  };
  return {
    ...mandatoryPriorityLevels(release),
    system: level(30, 64, 6, 33),
    'node-high': level(40, 64, 6, 25),
    'leader-election': level(10, 16, 4, 0),
    'workload-high': level(40, 128, 6, 50),
    'workload-low': level(100, 128, 6, 90),
    'global-default': level(20, 128, 6, 50),
  };
}

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });

const everything: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
const everyPath = { verbs: ['*'], nonResourceURLs: ['*'] };

/** The requests of clients that elect a leader or maintain objects of one kind. */
function upkeep(apiGroup: string, ...resources: string[]): ResourcePolicyRule {
  return { verbs: ['get', 'create', 'update'], apiGroups: [apiGroup], resources, namespaces: ['*'] };
}

interface Schema {
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: Subject[];
  /** The requests of the rule; by default all requests. */
  readonly rules?: ResourcePolicyRule[];
}

function spec({ level: name, precedence, by = 'ByUser', subjects, rules }: Schema): FlowSchemaSpec {
  const about =
    rules === undefined ? { resourceRules: [everything], nonResourceRules: [everyPath] } : { resourceRules: rules };
  return {
    priorityLevelConfiguration: { name },
    matchingPrecedence: precedence,
    distinguisherMethod: { type: by },
    rules: [{ subjects, ...about }],
  };
}

/** The flow schemas of a new server, by name. */
export function flowSchemas(naming: Naming): Readonly<Record<string, FlowSchemaSpec>> {
  const system = naming.prefixed('system');
  const controllerManager = user(`system:${naming.prefixed('controller-manager')}`);
  const scheduler = user(`system:${naming.prefixed('scheduler')}`);
  const account = (name: string): Subject => ({ kind: 'ServiceAccount', serviceAccount: { namespace: system, name } });
  const everyone = [group('system:unauthenticated'), group('system:authenticated')];
  const leases = naming.group('coordination');
  return {
    ...MANDATORY_FLOW_SCHEMAS,
    probes: {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: everyone,
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
        },
      ],
    },
    'system-leader-election': spec({
      level: 'leader-election',
      precedence: 100,
      subjects: [controllerManager, scheduler, account('*')],
      rules: [upkeep(leases, 'leases')],
    }),
    'endpoint-controller': spec({
      level: 'workload-high',
      precedence: 150,
      subjects: [controllerManager, account('endpoint-controller'), account('endpointslicemirroring-controller')],
      rules: [upkeep('', 'endpoints')],
    }),
    'workload-leader-election': spec({
      level: 'leader-election',
      precedence: 200,
      subjects: [account('*')],
      rules: [upkeep('', 'endpoints', 'configmaps'), upkeep(leases, 'leases')],
    }),
    'system-node-high': spec({
      level: 'node-high',
      precedence: 400,
      subjects: [group('system:nodes')],
      rules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        { verbs: ['*'], apiGroups: [leases], resources: ['leases'], namespaces: ['*'] },
      ],
    }),
    'system-nodes': spec({ level: 'system', precedence: 500, subjects: [group('system:nodes')] }),
    [naming.prefixed('controller-manager')]: spec({
      level: 'workload-high',
      precedence: 800,
      by: 'ByNamespace',
      subjects: [controllerManager],
    }),
    [naming.prefixed('scheduler')]: spec({
      level: 'workload-high',
      precedence: 800,
      by: 'ByNamespace',
      subjects: [scheduler],
    }),
    [naming.prefixed('system-service-accounts')]: spec({
      level: 'workload-high',
      precedence: 900,
      by: 'ByNamespace',
      subjects: [account('*')],
    }),
    'service-accounts': spec({ level: 'workload-low', precedence: 9000, subjects: [group('system:serviceaccounts')] }),
    'global-default': spec({ level: 'global-default', precedence: 9900, subjects: everyone }),
  };
}
