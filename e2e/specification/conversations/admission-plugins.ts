import { type Conversations, is, type Turn } from '../conversation.ts';
import { MERGE, NS, pod } from './admission-requests.ts';

const STORAGE = '/apis/storage.orch.io/v1';
const named = (name: string, more: object = {}) => ({ body: { metadata: { name }, ...more } });

const claim = (name: string, spec: object = {}) => ({
  body: {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  },
});

const DEFAULT = 'storageclass.orch.io/is-default-class';

const storageClass = (name: string, byDefault: boolean, more: object = {}) => ({
  body: { metadata: { name, annotations: { [DEFAULT]: String(byDefault) } }, provisioner: 'example.com/p', ...more },
});

export const PLUGINS: Conversations = {
  'authentication comes first, then authorization, then admission': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 401, [], { ...named('x'), token: 'made-up' }],
    ['POST /api/v1/namespaces/nosuch/configmaps', 403, 'cannot create', { ...named('x'), as: 'nobody' }],
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, 'namespaces \\"nosuch\\" not found', named('x')],
  ],
  'reads do not go through admission': [['GET /api/v1/namespaces/nosuch/configmaps', 200, is('items', [])]],
  'NamespaceLifecycle refuses new objects in a terminating namespace': [
    ['POST /api/v1/namespaces', 201, [], named('leaving')],
    ['DELETE /api/v1/namespaces/leaving', 200],
    ['POST /api/v1/namespaces/leaving/configmaps', 403, 'because it is being terminated', named('x')],
  ],
  'NamespaceLifecycle refuses requests for absent namespaces': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, 'not found', named('x')],
  ],
  'NamespaceLifecycle refuses to delete the three system namespaces': ['default', 'orch-system', 'orch-public'].map(
    (name): Turn => [`DELETE /api/v1/namespaces/${name}`, 403, 'this namespace may not be deleted'],
  ),
  'DefaultTolerationSeconds tolerates both taints for five minutes': [
    [`POST ${NS}/serviceaccounts`, 201, [], named('default')],
    [
      `POST ${NS}/pods`,
      201,
      is(
        'spec.tolerations',
        ['not-ready', 'unreachable'].map((taint) => ({
          key: `node.orch.io/${taint}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 300,
        })),
      ),
      pod('tolerant'),
    ],
  ],
  'LimitRanger gives pods in default a request of 0.1 CPU': [
    [`GET ${NS}/pods/tolerant`, 200, is('spec.containers.0.resources.requests.cpu', '100m')],
  ],
  'LimitRanger enforces the ranges of the namespace': [
    ['POST /api/v1/namespaces', 201, [], named('bounded')],
    ['POST /api/v1/namespaces/bounded/serviceaccounts', 201, [], named('default')],
    [
      'POST /api/v1/namespaces/bounded/limitranges',
      201,
      [],
      named('l', {
        spec: { limits: [{ type: 'Container', max: { memory: '1Gi' }, defaultRequest: { memory: '5Mi' } }] },
      }),
    ],
    [
      'POST /api/v1/namespaces/bounded/pods',
      403,
      'maximum memory usage per Container is 1Gi',
      pod('big', { containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '2Gi' } } }] }),
    ],
    [
      'POST /api/v1/namespaces/bounded/pods',
      201,
      is('spec.containers.0.resources.requests.memory', '5Mi'),
      pod('small'),
    ],
  ],
  'Priority sets the priority of the priority class': [
    ['POST /apis/scheduling.orch.io/v1/priorityclasses', 201, [], named('high', { value: 1000 })],
    [`POST ${NS}/pods`, 201, is('spec.priority', 1000), pod('high', { priorityClassName: 'high' })],
  ],
  'Priority refuses an unknown priority class': [
    [
      `POST ${NS}/pods`,
      403,
      'no PriorityClass with name nosuch was found',
      pod('low', { priorityClassName: 'nosuch' }),
    ],
  ],
  'ResourceQuota refuses objects beyond the quota of a namespace': [
    ['POST /api/v1/namespaces', 201, [], named('counted')],
    ['POST /api/v1/namespaces/counted/resourcequotas', 201, [], named('q', { spec: { hard: { configmaps: '1' } } })],
    [
      'PATCH /api/v1/namespaces/counted/resourcequotas/q/status',
      200,
      [],
      { headers: MERGE, body: { status: { hard: { configmaps: '1' }, used: { configmaps: '0' } } } },
    ],
    ['POST /api/v1/namespaces/counted/configmaps', 201, [], named('one')],
    [
      'POST /api/v1/namespaces/counted/configmaps',
      403,
      'exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
      named('two'),
    ],
  ],
  'RuntimeClass sets the pod overhead of the runtime class': [
    [
      'POST /apis/node.orch.io/v1/runtimeclasses',
      201,
      [],
      named('vm', { handler: 'vm', overhead: { podFixed: { cpu: '250m' } } }),
    ],
    [`POST ${NS}/pods`, 201, is('spec.overhead', { cpu: '250m' }), pod('vm', { runtimeClassName: 'vm' })],
  ],
  'StorageObjectInUseProtection adds its finalizer to claims': [
    [
      `POST ${NS}/persistentvolumeclaims`,
      201,
      is('metadata.finalizers', ['orch.io/pvc-protection']),
      claim('protected'),
    ],
  ],
  'StorageObjectInUseProtection adds its finalizer to volumes': [
    [
      'POST /api/v1/persistentvolumes',
      201,
      is('metadata.finalizers', ['orch.io/pv-protection']),
      named('v', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } }),
    ],
  ],
  'TaintNodesByCondition taints new nodes': [
    [
      'POST /api/v1/nodes',
      201,
      is('spec.taints', [{ key: 'node.orch.io/not-ready', effect: 'NoSchedule' }]),
      named('n1'),
    ],
  ],
  'DefaultStorageClass gives new claims the default class': [
    [`POST ${NS}/persistentvolumeclaims`, 201, is('spec.storageClassName', undefined), claim('classless')],
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('usual', true)],
    [`POST ${NS}/persistentvolumeclaims`, 201, is('spec.storageClassName', 'usual'), claim('classy')],
    [
      `POST ${NS}/persistentvolumeclaims`,
      201,
      is('spec.storageClassName', 'other'),
      claim('other', { storageClassName: 'other' }),
    ],
    [
      `PATCH ${NS}/persistentvolumeclaims/classless`,
      200,
      is('spec.storageClassName', undefined),
      { headers: MERGE, body: { metadata: { labels: { a: 'b' } } } },
    ],
  ],
  'DefaultStorageClass refuses claims if there are several default classes': [
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('second', true)],
    [`POST ${NS}/persistentvolumeclaims`, 403, '2 default StorageClasses were found', claim('torn')],
    [`DELETE ${STORAGE}/storageclasses/second`, 200],
  ],
  'DefaultIngressClass gives new ingresses the default class': [
    [
      'POST /apis/networking.orch.io/v1/ingressclasses',
      201,
      [],
      {
        body: {
          metadata: { name: 'usual', annotations: { 'ingressclass.orch.io/is-default-class': 'true' } },
          spec: { controller: 'example.com/c' },
        },
      },
    ],
    [
      'POST /apis/networking.orch.io/v1/namespaces/default/ingresses',
      201,
      is('spec.ingressClassName', 'usual'),
      named('i', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
    ],
  ],
  'DefaultIngressClass refuses ingresses if there are several default classes': [
    [
      'POST /apis/networking.orch.io/v1/ingressclasses',
      201,
      [],
      {
        body: {
          metadata: { name: 'second', annotations: { 'ingressclass.orch.io/is-default-class': 'true' } },
          spec: { controller: 'example.com/c' },
        },
      },
    ],
    [
      'POST /apis/networking.orch.io/v1/namespaces/default/ingresses',
      403,
      '2 default IngressClasses were found',
      named('j', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
    ],
  ],
  'PersistentVolumeClaimResize refuses a larger claim unless the class allows it': [
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('fixed', false)],
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('grows', false, { allowVolumeExpansion: true })],
    ...['fixed', 'grows'].flatMap((name): Turn[] => [
      [`POST ${NS}/persistentvolumeclaims`, 201, [], claim(name, { storageClassName: name, volumeName: 'v' })],
      [
        `PATCH ${NS}/persistentvolumeclaims/${name}/status`,
        200,
        [],
        { headers: MERGE, body: { status: { phase: 'Bound', capacity: { storage: '1Gi' } } } },
      ],
    ]),
    [
      `PATCH ${NS}/persistentvolumeclaims/fixed`,
      403,
      'only dynamically provisioned pvc can be resized',
      { headers: MERGE, body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
    ],
    [
      `PATCH ${NS}/persistentvolumeclaims/grows`,
      200,
      [],
      { headers: MERGE, body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
    ],
  ],
  'PodSecurity enforces the pod security standard of the namespace': [
    [
      'POST /api/v1/namespaces',
      201,
      [],
      { body: { metadata: { name: 'strict', labels: { 'pod-security.orch.io/enforce': 'baseline' } } } },
    ],
    ['POST /api/v1/namespaces/strict/serviceaccounts', 201, [], named('default')],
    [
      'POST /api/v1/namespaces/strict/pods',
      403,
      'violates PodSecurity \\"baseline:latest\\"',
      pod('host', { hostNetwork: true }),
    ],
    ['POST /api/v1/namespaces/strict/pods', 201, [], pod('plain')],
  ],
  'DenyServiceExternalIPs is off by default': [
    [
      `POST ${NS}/services`,
      201,
      is('spec.externalIPs', ['192.0.2.1']),
      named('ext', { spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] } }),
    ],
  ],
  'NamespaceAutoProvision and NamespaceExists are off by default': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, [], named('x')],
    ['GET /api/v1/namespaces/nosuch/configmaps', 200],
  ],
  'AlwaysPullImages is off by default': [
    [
      `POST ${NS}/pods`,
      201,
      is('spec.containers.0.imagePullPolicy', 'IfNotPresent'),
      pod('pulled', { containers: [{ name: 'c', image: 'i:1' }] }),
    ],
  ],
};
