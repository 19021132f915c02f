import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';
import { type Conversations, converse, header, is, lacks, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const named = (name: string, more: object = {}) => ({ body: { metadata: { name }, ...more } });

const EVENTS = '/apis/events.orch.io/v1/namespaces/default/events';
const event = (name: string, more: object = {}) =>
  named(name, {
    eventTime: '2020-01-01T00:00:00.000001Z',
    type: 'Normal',
    reason: 'Why',
    action: 'Act',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    note: 'n',
    ...more,
  });
const EVENT: Conversations = {
  'the type of an event is Normal or Warning': [
    [`POST ${EVENTS}`, 201, [], event('normal')],
    [`POST ${EVENTS}`, 201, [], event('warning', { type: 'Warning' })],
    [`POST ${EVENTS}`, 422, 'type', event('odd', { type: 'Odd' })],
  ],
  'the object of an event is in regarding, formerly involvedObject': [
    [`GET ${EVENTS}/normal`, 200, [is('regarding.name', 'p'), lacks('involvedObject')]],
    [`GET ${NS}/events/normal`, 200, is('involvedObject.name', 'p')],
  ],
  'action, reason, reportingController and reportingInstance are needed': (
    [
      ['action', 'action'],
      ['reason', 'reason'],
      ['reportingController', 'reportingController'],
      ['reportingInstance', 'reportingInstance'],
    ] as const
  ).map(([field, says]): Turn => [`POST ${EVENTS}`, 422, says, event('lacks', { [field]: undefined })]),
  'eventTime is needed': [[`POST ${EVENTS}`, 422, 'eventTime', event('timeless', { eventTime: undefined })]],
  'deprecatedFirstTimestamp is not for new events': [
    [`POST ${EVENTS}`, 422, 'firstTimestamp', event('old', { deprecatedFirstTimestamp: '2020-01-01T00:00:00Z' })],
  ],
  'deprecatedLastTimestamp is not for new events, but series.lastObservedTime': [
    [`POST ${EVENTS}`, 422, 'lastTimestamp', event('old', { deprecatedLastTimestamp: '2020-01-01T00:00:00Z' })],
    [
      `POST ${EVENTS}`,
      201,
      is('series.lastObservedTime', '2020-01-01T00:00:00.000002Z'),
      event('series', { series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000002Z' } }),
    ],
    [`POST ${EVENTS}`, 422, 'series.lastObservedTime', event('untimed', { series: { count: 2 } })],
  ],
  'deprecatedCount is not for new events, but series.count': [
    [`POST ${EVENTS}`, 422, 'count', event('old', { deprecatedCount: 3 })],
    [`GET ${EVENTS}/series`, 200, is('series.count', 2)],
  ],
  'reporters replace deprecatedSource': [
    [`POST ${EVENTS}`, 422, 'source', event('old', { deprecatedSource: { component: 'c', host: 'h' } })],
    [
      `POST ${NS}/events`,
      201,
      [],
      named('core', { involvedObject: { namespace: 'default' }, source: { component: 'c', host: 'h' } }),
    ],
    [`GET ${EVENTS}/core`, 200, is('deprecatedSource', { component: 'c', host: 'h' })],
  ],
};

const LEVELS: Conversations = {
  'alpha versions are not served by default': [
    ['GET /apis/networking.orch.io/v1alpha1', 404],
    ['GET /apis/internal.apiserver.orch.io/v1alpha1', 404],
    ['GET /apis', 200, lacks('alpha')],
  ],
  'earlier beta versions are served by default': [['GET /apis/storage.orch.io/v1beta1', 200, 'csistoragecapacities']],
  'stable versions are v and a number, and are served': [
    ['GET /api/v1', 200],
    ['GET /apis/apps/v1', 200],
    ['GET /apis/autoscaling/v2', 200],
  ],
  'a deprecated endpoint warns': [
    [
      'GET /apis/autoscaling/v2beta2/horizontalpodautoscalers',
      200,
      header('warning', /deprecated in v1\.23\+, unavailable in v1\.26\+/),
    ],
    ['GET /apis/autoscaling/v2/horizontalpodautoscalers', 200, header('warning', undefined)],
  ],
  'a request to a deprecated endpoint sets the gauge of deprecated APIs': [
    [
      'GET /metrics',
      200,
      /apiserver_requested_deprecated_apis\{group="autoscaling",removed_release="1\.26",resource="horizontalpodautoscalers",subresource="",version="v2beta2"\} 1/,
    ],
  ],
};

const served = (path: string): Turn => [`GET ${path}`, 200];
const gone = (path: string): Turn => [`GET ${path}`, 404];
const REMOVED: Conversations = {
  'until v1.27 capacities of storage are served as v1beta1, and as v1': [
    served('/apis/storage.orch.io/v1beta1/csistoragecapacities'),
    served('/apis/storage.orch.io/v1/csistoragecapacities'),
  ],
  'until v1.26 flow control is served as v1beta1, and as v1beta2': [
    served('/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas'),
    served('/apis/flowcontrol.apiserver.orch.io/v1beta1/prioritylevelconfigurations'),
    served('/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas'),
  ],
  'until v1.26 autoscalers are served as v2beta2, and as v2': [
    served('/apis/autoscaling/v2beta2/horizontalpodautoscalers'),
    served('/apis/autoscaling/v2/horizontalpodautoscalers'),
  ],
};
const REPLACED: Conversations = {};
/** These resources are no longer served as `old`, but as `instead`. */
for (const [release, old, instead, ...resources] of [
  ['v1.25', '/apis/batch/v1beta1', '/apis/batch/v1', 'cronjobs'],
  ['v1.25', '/apis/discovery.orch.io/v1beta1', '/apis/discovery.orch.io/v1', 'endpointslices'],
  ['v1.25', '/apis/events.orch.io/v1beta1', '/apis/events.orch.io/v1', 'events'],
  ['v1.25', '/apis/autoscaling/v2beta1', '/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  ['v1.25', '/apis/policy/v1beta1', '/apis/policy/v1', 'poddisruptionbudgets'],
  ['v1.25', '/apis/node.orch.io/v1beta1', '/apis/node.orch.io/v1', 'runtimeclasses'],
  [
    'v1.22',
    '/apis/admissionregistration.orch.io/v1beta1',
    '/apis/admissionregistration.orch.io/v1',
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
  ],
  ['v1.22', '/apis/apiextensions.orch.io/v1beta1', '/apis/apiextensions.orch.io/v1', 'customresourcedefinitions'],
  ['v1.22', '/apis/apiregistration.orch.io/v1beta1', '/apis/apiregistration.orch.io/v1', 'apiservices'],
  ['v1.22', '/apis/certificates.orch.io/v1beta1', '/apis/certificates.orch.io/v1', 'certificatesigningrequests'],
  ['v1.22', '/apis/coordination.orch.io/v1beta1', '/apis/coordination.orch.io/v1', 'leases'],
  ['v1.22', '/apis/extensions/v1beta1', '/apis/networking.orch.io/v1', 'ingresses'],
  ['v1.22', '/apis/networking.orch.io/v1beta1', '/apis/networking.orch.io/v1', 'ingresses', 'ingressclasses'],
  [
    'v1.22',
    '/apis/rbac.authorization.orch.io/v1beta1',
    '/apis/rbac.authorization.orch.io/v1',
    'roles',
    'clusterroles',
    'rolebindings',
    'clusterrolebindings',
  ],
  ['v1.22', '/apis/scheduling.orch.io/v1beta1', '/apis/scheduling.orch.io/v1', 'priorityclasses'],
  [
    'v1.22',
    '/apis/storage.orch.io/v1beta1',
    '/apis/storage.orch.io/v1',
    'csidrivers',
    'csinodes',
    'storageclasses',
    'volumeattachments',
  ],
  ['v1.16', '/apis/extensions/v1beta1', '/apis/networking.orch.io/v1', 'networkpolicies'],
  ['v1.16', '/apis/extensions/v1beta1', '/apis/apps/v1', 'daemonsets', 'deployments', 'replicasets'],
  ['v1.16', '/apis/apps/v1beta1', '/apis/apps/v1', 'deployments', 'statefulsets'],
  ['v1.16', '/apis/apps/v1beta2', '/apis/apps/v1', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'],
] as const)
  Object.assign(REPLACED, {
    [`since ${release} ${old} has no ${resources.join(', ')}`]: resources.flatMap((resource) => [
      gone(`${old}/${resource}`),
      served(`${instead}/${resource}`),
    ]),
  });
Object.assign(REPLACED, {
  'since v1.25 there are no policies of pod security': [
    gone('/apis/policy/v1beta1/podsecuritypolicies'),
    gone('/apis/extensions/v1beta1/podsecuritypolicies'),
  ],
  'since v1.22 reviews of tokens and of access are of v1': [
    ['POST /apis/authentication.orch.io/v1beta1/tokenreviews', 404],
    ['POST /apis/authorization.orch.io/v1beta1/subjectaccessreviews', 404],
    ['POST /apis/authorization.orch.io/v1beta1/selfsubjectaccessreviews', 404],
    ['POST /apis/authorization.orch.io/v1beta1/selfsubjectrulesreviews', 404],
    ['POST /apis/authentication.orch.io/v1/tokenreviews', 201, [], { body: { spec: { token: 'x' } } }],
  ],
} satisfies Conversations);

const INGRESSES = '/apis/networking.orch.io/v1/namespaces/default/ingresses';
const backend = { service: { name: 's', port: { number: 80 } } };
const ingress = (paths: object[], more: object = {}) => named('i', { spec: { rules: [{ http: { paths } }], ...more } });
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions?dryRun=All';
const definition = (spec: object, version: object = {}) =>
  named('things.example.com', {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, ...version },
      ],
      ...spec,
    },
  });
const LABELS = { app: 'a' };
const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = (more: object = {}) =>
  named('w', { spec: { selector: { matchLabels: LABELS }, template, serviceName: 's', ...more } });
const SLICES = '/apis/discovery.orch.io/v1/namespaces/default/endpointslices';
const slice = (name: string, endpoint: object) =>
  named(name, { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }] });
const WORKLOADS = ['daemonsets', 'deployments', 'statefulsets', 'replicasets'] as const;

const CHANGES: Conversations = {
  'endpoints of slices have a node name and a zone': [
    [
      `POST ${SLICES}`,
      201,
      [is('endpoints.0.nodeName', 'n'), is('endpoints.0.zone', 'z')],
      slice('placed', { nodeName: 'n', zone: 'z' }),
    ],
  ],
  'deprecatedTopology of endpoints is only read': [
    [`POST ${SLICES}`, 201, lacks('deprecatedTopology'), slice('topology', { deprecatedTopology: { a: 'b' } })],
  ],
  'a budget may have an empty selector, or none': [
    [
      'POST /apis/policy/v1/namespaces/default/poddisruptionbudgets',
      201,
      is('spec.selector', {}),
      named('all', { spec: { minAvailable: 1, selector: {} } }),
    ],
    [
      'POST /apis/policy/v1/namespaces/default/poddisruptionbudgets',
      201,
      is('spec.selector', undefined),
      named('none', { spec: { minAvailable: 1 } }),
    ],
  ],
  'a definition needs a scope': [[`POST ${DEFINITIONS}`, 422, 'spec.scope', definition({ scope: undefined })]],
  'a definition needs versions, each with a structural schema': [
    [`POST ${DEFINITIONS}`, 422, 'spec.versions', definition({ versions: undefined })],
    [`POST ${DEFINITIONS}`, 422, 'schema', definition({}, { schema: undefined })],
    [`POST ${DEFINITIONS}`, 422, 'type', definition({}, { schema: { openAPIV3Schema: { properties: { a: {} } } } })],
  ],
  'versions of a definition have subresources and columns': [
    [
      `POST ${DEFINITIONS}`,
      201,
      [
        is('spec.versions.0.subresources', { status: {} }),
        is('spec.versions.0.additionalPrinterColumns.0.jsonPath', '.spec'),
      ],
      definition(
        {},
        { subresources: { status: {} }, additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec' }] },
      ),
    ],
  ],
  'the path of a column is jsonPath, not JSONPath': [
    [
      `POST ${DEFINITIONS}`,
      422,
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
      definition({}, { additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.spec' }] }),
    ],
  ],
  'the settings of conversion are in conversion.webhook': [
    [`POST ${DEFINITIONS}`, 422, 'spec.conversion.webhook', definition({ conversion: { strategy: 'Webhook' } })],
    [
      `POST ${DEFINITIONS}`,
      201,
      [],
      definition({
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } },
        },
      }),
    ],
  ],
  'new definitions cannot set preserveUnknownFields': [
    [`POST ${DEFINITIONS}`, 422, 'spec.preserveUnknownFields', definition({ preserveUnknownFields: true })],
  ],
  'the backend of an ingress is defaultBackend': [
    [
      `POST ${INGRESSES}?dryRun=All`,
      201,
      is('spec.defaultBackend', backend),
      named('i', { spec: { defaultBackend: backend } }),
    ],
    [`POST ${INGRESSES}?dryRun=All&fieldValidation=Strict`, 400, 'spec.backend', named('i', { spec: { backend } })],
  ],
  'the service of a backend has a name': [
    [
      `POST ${INGRESSES}?dryRun=All`,
      422,
      'service.name',
      ingress([{ pathType: 'Prefix', path: '/', backend: { service: { port: { number: 80 } } } }]),
    ],
    [
      `POST ${INGRESSES}?dryRun=All&fieldValidation=Strict`,
      400,
      'serviceName',
      ingress([{ pathType: 'Prefix', path: '/', backend: { serviceName: 's' } }]),
    ],
  ],
  'the port of a backend is a number or a name': [
    [`POST ${INGRESSES}?dryRun=All`, 201, [], ingress([{ pathType: 'Prefix', path: '/', backend }])],
    [
      `POST ${INGRESSES}?dryRun=All`,
      201,
      [],
      ingress([{ pathType: 'Prefix', path: '/', backend: { service: { name: 's', port: { name: 'http' } } } }]),
    ],
    [
      `POST ${INGRESSES}?dryRun=All`,
      422,
      'cannot set both port name & port number',
      ingress([
        { pathType: 'Prefix', path: '/', backend: { service: { name: 's', port: { name: 'http', number: 80 } } } },
      ]),
    ],
    [
      `POST ${INGRESSES}?dryRun=All&fieldValidation=Strict`,
      400,
      'servicePort',
      ingress([{ pathType: 'Prefix', path: '/', backend: { servicePort: 80 } }]),
    ],
  ],
  'a path has a type: Prefix, Exact or ImplementationSpecific': [
    ...['Prefix', 'Exact', 'ImplementationSpecific'].map(
      (pathType): Turn => [`POST ${INGRESSES}?dryRun=All`, 201, [], ingress([{ pathType, path: '/', backend }])],
    ),
    [`POST ${INGRESSES}?dryRun=All`, 422, 'pathType', ingress([{ path: '/', backend }])],
    [`POST ${INGRESSES}?dryRun=All`, 422, 'pathType', ingress([{ pathType: 'Regex', path: '/', backend }])],
  ],
  'workloads need a selector': WORKLOADS.map(
    (type): Turn => [`POST ${APPS}/${type}`, 422, 'elector', workload({ selector: undefined })],
  ),
  'selectors of workloads cannot be changed': WORKLOADS.flatMap((type): Turn[] => [
    [`POST ${APPS}/${type}`, 201, [], workload()],
    [
      `PATCH ${APPS}/${type}/w`,
      422,
      'spec',
      {
        headers: MERGE,
        body: { spec: { selector: { matchLabels: { more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } } },
      },
    ],
  ]),
  'daemon sets have no templateGeneration': [
    [
      `POST ${APPS}/daemonsets?dryRun=All&fieldValidation=Strict`,
      400,
      'templateGeneration',
      workload({ templateGeneration: 1 }),
    ],
  ],
  'daemon sets and stateful sets roll updates out by default': [
    [`GET ${APPS}/daemonsets/w`, 200, is('spec.updateStrategy.type', 'RollingUpdate')],
    [`GET ${APPS}/statefulsets/w`, 200, is('spec.updateStrategy.type', 'RollingUpdate')],
  ],
  'deployments have no rollbackTo': [
    [`POST ${APPS}/deployments?dryRun=All&fieldValidation=Strict`, 400, 'rollbackTo', workload({ rollbackTo: {} })],
  ],
  'the deadline of deployments is 600 seconds by default': [
    [`GET ${APPS}/deployments/w`, 200, is('spec.progressDeadlineSeconds', 600)],
  ],
  'deployments keep ten revisions by default': [
    [`GET ${APPS}/deployments/w`, 200, is('spec.revisionHistoryLimit', 10)],
  ],
  'maxSurge and maxUnavailable are 25% by default': [
    [`GET ${APPS}/deployments/w`, 200, is('spec.strategy.rollingUpdate', { maxSurge: '25%', maxUnavailable: '25%' })],
  ],
};

describe('the specification: events, releases and versions', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  for (const conversations of [EVENT, LEVELS, REMOVED, REPLACED, CHANGES]) converse(() => replica, conversations);

  it('the discovery groups list the served versions', async () => {
    const { json } = await replica.call('GET', '/apis');
    for (const { name, versions, preferredVersion } of json.groups) {
      for (const { groupVersion, version } of versions) {
        assert.equal(groupVersion, `${name}/${version}`);
        const { json: list } = await replica.call('GET', `/apis/${groupVersion}`);
        assert.equal(list.groupVersion, groupVersion);
      }
      assert.ok(versions.some(({ version }: { version: string }) => version === preferredVersion.version));
    }
  });
});
