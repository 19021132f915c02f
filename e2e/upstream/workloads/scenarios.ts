import type { JsonObject } from '#base/json/json-value.ts';

/** One request, in the words of the neutral naming. `%` stands for the namespace of the scenario. */
export type Act = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: JsonObject];

/** Requests that are sent together. After them, the managers have time for their work. */
export interface Step {
  readonly what: string;
  readonly acts: readonly Act[];
  /** The time in seconds without a change after which the step is complete, by default 4. */
  readonly quiet?: number;
  /** The resource of which an object must exist before the step is complete. */
  readonly made?: string;
}

/** Steps in one namespace, one after the other. */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

const apps = (resource: string): string => `/apis/apps/v1/namespaces/%/${resource}`;
const batch = (resource: string): string => `/apis/batch/v1/namespaces/%/${resource}`;
const core = (resource: string): string => `/api/v1/namespaces/%/${resource}`;

const labels = { app: 'web' };
const selector = { matchLabels: labels };

/** A template of pods. `wishes` contains the behaviour of their simulated nodes. */
function template(image: string, wishes: Readonly<Record<string, string>> = {}, more: JsonObject = {}): JsonObject {
  const annotations = Object.fromEntries(
    Object.entries(wishes).map(([name, value]) => [`orch.io/simulate-${name}`, value]),
  );
  return {
    metadata: { labels, annotations },
    spec: {
      ...{ terminationGracePeriodSeconds: 1, automountServiceAccountToken: false },
      ...{ containers: [{ name: 'c', image }], ...more },
    },
  };
}

const withImage = (image: string): JsonObject => ({ spec: { template: template(image) } });
const scaled = (replicas: number): JsonObject => ({ spec: { replicas } });

const one = (path: string, name = 'web'): string => `${path}/${name}`;

const deployment = (spec: JsonObject, image = 'i:1'): Act => [
  'POST',
  apps('deployments'),
  {
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector,
      template: template(image),
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      ...spec,
    },
  },
];
const changed = (resource: string, body: JsonObject): Act => ['PATCH', one(apps(resource)), body];

const rollout: Scenario = {
  name: 'rollout',
  steps: [
    { what: 'a deployment', acts: [deployment({})] },
    { what: 'a new image', acts: [changed('deployments', withImage('i:2'))] },
    { what: 'the image before', acts: [changed('deployments', withImage('i:1'))] },
    {
      what: 'another image while it is paused',
      acts: [changed('deployments', { spec: { paused: true, template: template('i:3') } })],
    },
    { what: 'more while it is paused', acts: [changed('deployments', scaled(4))] },
    { what: 'resumed', acts: [changed('deployments', { spec: { paused: false } })] },
    { what: 'none', acts: [changed('deployments', scaled(0))] },
    { what: 'no history', acts: [changed('deployments', { spec: { revisionHistoryLimit: 0 } })] },
    { what: 'deleted', acts: [['DELETE', one(apps('deployments'))]] },
  ],
};

const recreate: Scenario = {
  name: 'recreate',
  steps: [
    { what: 'a deployment', acts: [deployment({ strategy: { type: 'Recreate' } })] },
    { what: 'a new image', acts: [changed('deployments', withImage('i:2'))] },
    { what: 'deleted without its pods', acts: [['DELETE', `${one(apps('deployments'))}?propagationPolicy=Orphan`]] },
    { what: 'made again', acts: [deployment({ strategy: { type: 'Recreate' } }, 'i:2')] },
  ],
};

const stuck: Scenario = {
  name: 'stuck',
  steps: [
    { what: 'a deployment', acts: [deployment({ replicas: 4, progressDeadlineSeconds: 6, strategy: {} })] },
    {
      what: 'an image that is not there',
      acts: [changed('deployments', withImage('i:404'))],
      quiet: 12,
    },
    { what: 'more of it', acts: [changed('deployments', scaled(8))], quiet: 8 },
    { what: 'the image before', acts: [changed('deployments', withImage('i:1'))] },
  ],
};

const refused: Scenario = {
  name: 'refused',
  steps: [
    {
      what: 'a quota',
      acts: [['POST', core('resourcequotas'), { metadata: { name: 'few' }, spec: { hard: { pods: '2' } } }]],
    },
    { what: 'a deployment above it', acts: [deployment({ replicas: 3 })], quiet: 8 },
    {
      what: 'a larger quota',
      acts: [['PATCH', one(core('resourcequotas'), 'few'), { spec: { hard: { pods: '5' } } }]],
      quiet: 25,
    },
  ],
};

const sets: Scenario = {
  name: 'sets',
  steps: [
    {
      what: 'a replica set',
      acts: [
        [
          'POST',
          apps('replicasets'),
          { metadata: { name: 'web' }, spec: { replicas: 3, selector, template: template('i') } },
        ],
      ],
    },
    { what: 'fewer', acts: [changed('replicasets', scaled(1))] },
    {
      what: 'a pod that is looked for',
      acts: [['POST', core('pods'), { ...template('i'), metadata: { name: 'found', labels } }]],
    },
    {
      what: 'a replication controller',
      acts: [
        [
          'POST',
          core('replicationcontrollers'),
          {
            metadata: { name: 'old' },
            spec: {
              replicas: 2,
              selector: { app: 'old' },
              template: { ...template('i'), metadata: { labels: { app: 'old' } } },
            },
          },
        ],
      ],
    },
    { what: 'more of it', acts: [['PATCH', one(core('replicationcontrollers'), 'old'), scaled(3)]] },
    {
      what: 'deleted without its pods',
      acts: [['DELETE', `${one(core('replicationcontrollers'), 'old')}?propagationPolicy=Orphan`]],
    },
    { what: 'deleted before its pods', acts: [['DELETE', `${one(apps('replicasets'))}?propagationPolicy=Foreground`]] },
  ],
};

const stateful = (name: string, spec: JsonObject): Act => [
  'POST',
  apps('statefulsets'),
  { metadata: { name }, spec: { replicas: 3, serviceName: 's', selector, template: template('i:1'), ...spec } },
];
const ordered: Scenario = {
  name: 'ordered',
  steps: [
    { what: 'a stateful set', acts: [stateful('web', {})] },
    { what: 'fewer', acts: [changed('statefulsets', scaled(1))] },
    { what: 'more', acts: [changed('statefulsets', scaled(3))] },
    { what: 'a new image', acts: [changed('statefulsets', withImage('i:2'))] },
    {
      what: 'a partition, and a new image',
      acts: [
        changed('statefulsets', {
          spec: { updateStrategy: { rollingUpdate: { partition: 2 } }, template: template('i:3') },
        }),
      ],
    },
    { what: 'a pod below the partition is deleted', acts: [['DELETE', one(core('pods'), 'web-0')]] },
    {
      what: 'a smaller partition',
      acts: [changed('statefulsets', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })],
    },
    { what: 'the image before', acts: [changed('statefulsets', withImage('i:2'))] },
    {
      what: 'a pod that fails',
      acts: [['PATCH', `${one(core('pods'), 'web-1')}/status`, { status: { phase: 'Failed' } }]],
    },
    { what: 'deleted', acts: [['DELETE', one(apps('statefulsets'))]] },
  ],
};

const parallel: Scenario = {
  name: 'parallel',
  steps: [
    {
      what: 'a stateful set',
      acts: [stateful('web', { podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } })],
    },
    { what: 'a new image', acts: [changed('statefulsets', withImage('i:2'))] },
    { what: 'a pod is deleted', acts: [['DELETE', one(core('pods'), 'web-1')]] },
    { what: 'fewer', acts: [changed('statefulsets', scaled(1))] },
    { what: 'deleted without its pods', acts: [['DELETE', `${one(apps('statefulsets'))}?propagationPolicy=Orphan`]] },
    {
      what: 'one with claims that are not bound',
      acts: [
        stateful('db', {
          replicas: 2,
          selector: { matchLabels: { app: 'db' } },
          template: { ...template('i'), metadata: { labels: { app: 'db' } } },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data', labels: { kind: 'data' } },
              spec: {
                storageClassName: 'none',
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
              },
            },
          ],
        }),
      ],
    },
    { what: 'it is deleted', acts: [['DELETE', one(apps('statefulsets'), 'db')]] },
  ],
};

const daemons: Scenario = {
  name: 'daemons',
  steps: [
    {
      what: 'a daemon set',
      acts: [
        ['POST', apps('daemonsets'), { metadata: { name: 'web' }, spec: { selector, template: template('i:1') } }],
      ],
    },
    { what: 'a new image', acts: [changed('daemonsets', withImage('i:2'))] },
    { what: 'the image before', acts: [changed('daemonsets', withImage('i:1'))] },
    {
      what: 'on one node only',
      acts: [
        changed('daemonsets', { spec: { template: { spec: { nodeSelector: { 'orch.io/hostname': 'node-1' } } } } }),
      ],
    },
    {
      what: 'updated by hand',
      acts: [
        changed('daemonsets', {
          spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null }, template: template('i:3') },
        }),
      ],
    },
    { what: 'deleted', acts: [['DELETE', one(apps('daemonsets'))]] },
  ],
};

const job = (name: string, spec: JsonObject, wishes: Readonly<Record<string, string>> = {}): Act => [
  'POST',
  batch('jobs'),
  {
    metadata: { name },
    spec: { template: { ...template('i', wishes, { restartPolicy: 'Never' }) }, ...spec },
  },
];
const jobs: Scenario = {
  name: 'jobs',
  steps: [
    { what: 'a job', acts: [job('once', {})] },
    { what: 'one of five, two at a time', acts: [job('five', { completions: 5, parallelism: 2 })] },
    { what: 'one with indexes', acts: [job('indexed', { completions: 3, parallelism: 1, completionMode: 'Indexed' })] },
    { what: 'one that fails', acts: [job('fails', { backoffLimit: 1 }, { 'exit-code': '3' })], quiet: 14 },
    { what: 'one that takes too long', acts: [job('late', { activeDeadlineSeconds: 3 }, { seconds: '60' })], quiet: 6 },
    { what: 'one that is suspended', acts: [job('later', { suspend: true })] },
    { what: 'it is resumed', acts: [['PATCH', one(batch('jobs'), 'later'), { spec: { suspend: false } }]] },
    { what: 'one that runs', acts: [job('runs', { parallelism: 2, completions: 2 }, { seconds: '600' })] },
    { what: 'it is suspended', acts: [['PATCH', one(batch('jobs'), 'runs'), { spec: { suspend: true } }]] },
    { what: 'one that goes by itself', acts: [job('goes', { ttlSecondsAfterFinished: 2 })], quiet: 6 },
    { what: 'deleted', acts: [['DELETE', `${one(batch('jobs'), 'five')}?propagationPolicy=Background`]] },
  ],
};

const cron: Scenario = {
  name: 'cron',
  steps: [
    {
      what: 'a cron job that is suspended',
      acts: [
        [
          'POST',
          batch('cronjobs'),
          {
            metadata: { name: 'web' },
            spec: {
              schedule: '* * * * *',
              suspend: true,
              jobTemplate: { spec: { template: template('i', {}, { restartPolicy: 'Never' }) } },
            },
          },
        ],
      ],
    },
    { what: 'it runs', acts: [['PATCH', one(batch('cronjobs')), { spec: { suspend: false } }]], made: 'jobs' },
    { what: 'suspended again', acts: [['PATCH', one(batch('cronjobs')), { spec: { suspend: true } }]] },
    { what: 'deleted', acts: [['DELETE', `${one(batch('cronjobs'))}?propagationPolicy=Background`]] },
  ],
};

const eviction: Scenario = {
  name: 'eviction',
  steps: [
    {
      what: 'a stateful set, and a budget',
      acts: [
        stateful('web', { podManagementPolicy: 'Parallel' }),
        [
          'POST',
          '/apis/policy/v1/namespaces/%/poddisruptionbudgets',
          { metadata: { name: 'web' }, spec: { minAvailable: 2, selector } },
        ],
      ],
    },
    {
      what: 'two evictions, of which the second has to wait',
      acts: ['web-2', 'web-1'].map((name) => [
        'POST',
        `${one(core('pods'), name)}/eviction`,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      ]),
    },
    {
      what: 'an autoscaler without metrics',
      acts: [
        [
          'POST',
          '/apis/autoscaling/v2/namespaces/%/horizontalpodautoscalers',
          {
            metadata: { name: 'web' },
            spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' }, maxReplicas: 5 },
          },
        ],
      ],
      quiet: 18,
    },
    { what: 'deleted', acts: [['DELETE', one(apps('statefulsets'))]] },
  ],
};

const doomed: Scenario = {
  name: 'doomed',
  steps: [
    {
      what: 'some of all',
      acts: [
        deployment({}),
        job('runs', {}, { seconds: '600' }),
        ['POST', core('configmaps'), { metadata: { name: 'held', finalizers: ['example.com/hold'] } }],
      ],
    },
    { what: 'the namespace is deleted', acts: [['DELETE', '/api/v1/namespaces/%']], quiet: 25 },
    {
      what: 'what holds it lets go',
      acts: [['PATCH', one(core('configmaps'), 'held'), { metadata: { finalizers: null } }]],
      quiet: 20,
    },
  ],
};

/** Each scenario runs in a separate namespace, at the same time as the others. */
export const scenarios: readonly Scenario[] = [
  ...[rollout, recreate, stuck, refused, sets, ordered, parallel, daemons, jobs, cron, eviction, doomed],
];
