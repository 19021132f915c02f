import type { ReleaseName } from '#base/release/release.ts';

/** An object with long lists whose check once took time that grew with the square of their lengths. */
export interface LongList {
  readonly what: string;
  /** The group and plural of the kind, the package of its version, and its name. */
  readonly kind: readonly [identity: string, version: string, name: string];
  /** Returns the object with lists of this length. */
  readonly body: (length: number) => object;
  /** The object before a change. `body` is the object after it. */
  readonly before?: (length: number) => object;
  /** The view through which the object changes. */
  readonly view?: string;
  /** Whether the row of a table is made, instead of a check. */
  readonly isTable?: boolean;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly release?: ReleaseName;
}

const POD = ['core/pods', 'core.v1', 'Pod'] as const;
const CLASS = ['storage/storageclasses', 'storage.v1', 'StorageClass'] as const;
const QUOTA = ['core/resourcequotas', 'core.v1', 'ResourceQuota'] as const;
const WEBHOOKS = [
  'admissionregistration/validatingwebhookconfigurations',
  'admissionregistration.v1',
  'ValidatingWebhookConfiguration',
] as const;
const CSI_NODE = ['storage/csinodes', 'storage.v1', 'CSINode'] as const;
const SERVICE = ['core/services', 'core.v1', 'Service'] as const;

function listOf<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}

function tableOf(length: number, name: (i: number) => string, value: string): Record<string, string> {
  return Object.fromEntries(listOf(length, (i) => [name(i), value]));
}

function pod(spec: object, container: object = {}): object {
  return { spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } };
}

const toleration = (i: number) => ({ key: `k${i}`, operator: 'Exists', effect: 'NoExecute' });
const container = (i: number) => ({ name: `c${i}`, image: 'i' });
const webhook = (more: object) => ({ webhooks: [{ name: 'a.example.com', sideEffects: 'None', ...more }] });
const claim = (i: number) => ({ name: `c${i}`, resourceClaimName: 'x' });
const driver = (i: number) => ({ name: `d${i}`, nodeID: 'n', topologyKeys: [] });

/** Objects of many kinds, each with the lists of one rule. */
export const longLists: readonly LongList[] = [
  {
    what: 'empty topologies of a storage class',
    kind: CLASS,
    body: (length) => ({ provisioner: 'p', allowedTopologies: listOf(length, () => ({})) }),
  },
  {
    what: 'values of a topology',
    kind: CLASS,
    body: (length) => ({
      provisioner: 'p',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: listOf(length, String) }] }],
    }),
  },
  {
    what: 'addresses and ports of endpoints in a table',
    kind: ['core/endpoints', 'core.v1', 'Endpoints'],
    isTable: true,
    body: (length) => ({
      subsets: [
        {
          addresses: listOf(length, (i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })),
          ports: listOf(length, (port) => ({ port })),
        },
      ],
    }),
  },
  {
    what: 'scopes of a quota and the resources they do not apply to',
    kind: QUOTA,
    body: (length) => ({
      spec: { scopes: listOf(length, () => 'BestEffort'), hard: tableOf(length, (i) => `hugepages-${i}`, '1') },
    }),
  },
  {
    what: 'unknown scopes of a quota',
    kind: QUOTA,
    body: (length) => ({ spec: { scopes: listOf(length, (i) => `s${i}`) } }),
  },
  {
    what: 'terms of the selector of a quota',
    kind: QUOTA,
    body: (length) => ({
      spec: {
        scopeSelector: { matchExpressions: listOf(length, () => ({ scopeName: 'BestEffort', operator: 'Exists' })) },
        hard: tableOf(length, (i) => `hugepages-${i}`, '1'),
      },
    }),
  },
  {
    what: 'unreadable networks of a node before 1.31',
    kind: ['core/nodes', 'core.v1', 'Node'],
    release: '1.30',
    body: (length) => ({ spec: { podCIDRs: listOf(length, (i) => `wrong${i}`) } }),
  },
  {
    what: 'networks of a node',
    kind: ['core/nodes', 'core.v1', 'Node'],
    body: (length) => ({ spec: { podCIDRs: listOf(length, (i) => `10.${i >> 8}.${i & 255}.0/24`) } }),
  },
  {
    what: 'pairs in the registry of a volume',
    kind: POD,
    body: (length) => pod({ volumes: [{ name: 'v', quobyte: { registry: 'a,'.repeat(length), volume: 'v' } }] }),
  },
  {
    what: 'parts in the path of a webhook',
    kind: WEBHOOKS,
    body: (length) =>
      webhook({
        clientConfig: { service: { namespace: 'n', name: 's', path: '/'.repeat(length) } },
        admissionReviewVersions: ['v1'],
      }),
  },
  {
    what: 'versions of reviews that a webhook reads',
    kind: WEBHOOKS,
    body: (length) =>
      webhook({
        clientConfig: { url: 'https://a.example.com' },
        admissionReviewVersions: listOf(length, (i) => `v${i}`),
      }),
  },
  {
    what: 'claims that a container uses',
    kind: POD,
    gates: { DynamicResourceAllocation: true },
    body: (length) =>
      pod(
        { resourceClaims: listOf(length, claim) },
        { resources: { claims: listOf(length, (i) => ({ name: `c${i}` })) } },
      ),
  },
  {
    what: 'claims that a container uses and its pod does not have',
    kind: POD,
    gates: { DynamicResourceAllocation: true },
    body: (length) =>
      pod(
        { resourceClaims: listOf(length, claim) },
        { resources: { claims: listOf(length, (i) => ({ name: `x${i}` })) } },
      ),
  },
  {
    what: 'tolerations that an update keeps',
    kind: POD,
    before: (length) => pod({ tolerations: listOf(length, toleration) }),
    body: (length) => pod({ tolerations: listOf(length, toleration).reverse() }),
  },
  {
    what: 'tolerations of a runtime class',
    kind: ['node/runtimeclasses', 'node.v1', 'RuntimeClass'],
    body: (length) => ({ handler: 'h', scheduling: { tolerations: listOf(length, toleration) } }),
  },
  {
    what: 'drivers of a node',
    kind: CSI_NODE,
    body: (length) => ({ spec: { drivers: listOf(length, driver) } }),
  },
  {
    what: 'drivers of a node that an update keeps',
    kind: CSI_NODE,
    before: (length) => ({ spec: { drivers: listOf(length, driver) } }),
    body: (length) => ({ spec: { drivers: listOf(length, driver).reverse() } }),
  },
  {
    what: 'keys of topologies of a driver',
    kind: CSI_NODE,
    body: (length) => ({
      spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: listOf(length, (i) => `k${i}`) }] },
    }),
  },
  {
    what: 'conditions of a storage version',
    kind: ['internal.apiserver/storageversions', 'internal.apiserver.v1alpha1', 'StorageVersion'],
    view: 'status',
    before: () => ({ spec: {} }),
    body: (length) => ({
      spec: {},
      status: {
        conditions: listOf(length, (i) => ({ type: `t${i}`, status: 'True', reason: 'r', message: 'm' })),
      },
    }),
  },
  {
    what: 'conditions of a flow schema',
    kind: ['flowcontrol.apiserver/flowschemas', 'flowcontrol.apiserver.v1', 'FlowSchema'],
    view: 'status',
    before: () => ({ spec: { priorityLevelConfiguration: { name: 'p' } } }),
    body: (length) => ({
      spec: { priorityLevelConfiguration: { name: 'p' } },
      status: { conditions: listOf(length, (i) => ({ type: `t${i}`, status: 'True' })) },
    }),
  },
  {
    what: 'usages of a request for a certificate',
    kind: ['certificates/certificatesigningrequests', 'certificates.v1', 'CertificateSigningRequest'],
    body: (length) => ({ spec: { request: '', signerName: 'a.com/b', usages: listOf(length, (i) => `u${i}`) } }),
  },
  {
    what: 'volumes and claims of a stateful set since 1.37',
    kind: ['apps/statefulsets', 'apps.v1', 'StatefulSet'],
    release: '1.37',
    body: (length) => ({
      spec: {
        serviceName: 's',
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          ...pod({ volumes: listOf(length, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
        },
        volumeClaimTemplates: listOf(length, (i) => ({
          metadata: { name: `c${i}` },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
        })),
      },
    }),
  },
  {
    what: 'addresses of a pod',
    kind: POD,
    view: 'status',
    before: () => pod({}),
    body: (length) => ({
      ...pod({}),
      status: { podIPs: listOf(length, (i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })) },
    }),
  },
  {
    what: 'ephemeral containers that an update keeps',
    kind: POD,
    view: 'ephemeralcontainers',
    before: (length) => pod({ ephemeralContainers: listOf(length, container) }),
    body: (length) => pod({ ephemeralContainers: listOf(length, container).reverse() }),
  },
  {
    what: 'containers that a resize keeps',
    kind: POD,
    view: 'resize',
    before: (length) => pod({ containers: listOf(length, container) }),
    body: (length) => pod({ containers: listOf(length, container).reverse() }),
  },
  {
    what: 'profiles of containers in annotations',
    kind: POD,
    body: (length) => ({
      metadata: {
        name: 'x',
        annotations: tableOf(length, (i) => `container.apparmor.security.beta.orch.io/x${i}`, 'unconfined'),
      },
      ...pod({ containers: listOf(length, container) }),
    }),
  },
  {
    what: 'folders and devices of a container',
    kind: POD,
    body: (length) =>
      pod(
        {},
        {
          volumeMounts: listOf(length, (i) => ({ name: `m${i}`, mountPath: `/m${i}` })),
          volumeDevices: listOf(length, (i) => ({ name: `d${i}`, devicePath: `/d${i}` })),
        },
      ),
  },
  {
    what: 'ephemeral volumes beside claims',
    kind: POD,
    body: (length) =>
      pod({
        volumes: [
          ...listOf(length, (i) => ({ name: `e${i}`, ephemeral: {} })),
          ...listOf(length, (i) => ({ name: `p${i}`, persistentVolumeClaim: { claimName: `c${i}` } })),
        ],
      }),
  },
  {
    what: 'constraints on the spread of pods',
    kind: POD,
    body: (length) =>
      pod({
        topologySpreadConstraints: listOf(length, (i) => ({
          maxSkew: 1,
          topologyKey: `k${i}`,
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
  },
  {
    what: 'resources of containers beside those of the pod',
    kind: POD,
    gates: { PodLevelResources: true },
    body: (length) =>
      pod({
        resources: { limits: { cpu: '1000' } },
        containers: listOf(length, (i) => ({
          ...container(i),
          resources: { limits: { [`example.com/r${i}`]: '1', cpu: '1m' } },
        })),
      }),
  },
  {
    what: 'families of a service',
    kind: SERVICE,
    body: (length) => ({ spec: { ports: [{ port: 80 }], ipFamilies: listOf(length, (i) => `f${i}`) } }),
  },
  {
    what: 'addresses that an update of a service keeps',
    kind: SERVICE,
    gates: { StrictIPCIDRValidation: true },
    before: (length) => ({
      spec: { ports: [{ port: 80 }], externalIPs: listOf(length, (i) => `10.0.${i >> 8}.${i & 255}`) },
    }),
    body: (length) => ({
      spec: { ports: [{ port: 80 }], externalIPs: listOf(length, (i) => `10.1.${i >> 8}.${i & 255}`) },
    }),
  },
];
