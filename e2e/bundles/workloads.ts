import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type Bundle, maker } from './bundle.ts';

const labels = { app: 'web' };
const amounts = (cpu: string, memory = '64Mi') => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const web = { name: 'web', image: 'example.com/web:1' };
const probe = { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, periodSeconds: 5 };

/** Templates name keys. The server adds the values of these keys to selectors in pods. */
const affinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: labels }, topologyKey: 'zone', matchLabelKeys: ['hash'] },
    ],
  },
};

/** Pods with fields of release 1.26 and later. */
const PODS: Readonly<Record<string, JsonObject>> = {
  sidecars: {
    initContainers: [{ name: 'proxy', image: 'example.com/proxy:1', restartPolicy: 'Always', startupProbe: probe }],
    containers: [web],
  },
  'resources of pods': {
    resources: amounts('500m', '256Mi'),
    containers: [{ ...web, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }],
  },
  'scheduling gates': {
    schedulingGates: [{ name: 'example.com/wait' }],
    containers: [web],
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, minDomains: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        ...{ labelSelector: { matchLabels: labels }, nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore' },
        matchLabelKeys: ['hash'],
      },
    ],
  },
  'image volumes': {
    containers: [{ ...web, volumeMounts: [{ name: 'model', mountPath: '/model', readOnly: true }] }],
    volumes: [{ name: 'model', image: { reference: 'example.com/model:1', pullPolicy: 'IfNotPresent' } }],
  },
  'security and life cycle': {
    hostUsers: false,
    os: { name: 'linux' },
    securityContext: {
      appArmorProfile: { type: 'RuntimeDefault' },
      seccompProfile: { type: 'RuntimeDefault' },
      supplementalGroupsPolicy: 'Strict',
      runAsNonRoot: true,
    },
    containers: [{ ...web, lifecycle: { preStop: { sleep: { seconds: 5 } } } }],
    terminationGracePeriodSeconds: 20,
  },
};

/** Objects of built-in kinds in the form that projects ship, with fields of later releases. */
export function workloadBundles(naming: Naming): Bundle[] {
  const make = maker(naming);
  const template = (spec: JsonObject = { containers: [web] }) => ({ metadata: { labels }, spec });
  const selector = { matchLabels: labels };
  const pods = Object.entries(PODS).map(([about, spec], index) => ({
    name: `pods with ${about}`,
    objects: [make('', 'v1', 'Pod', `pod-${index}`, { metadata: { labels: { ...labels, hash: 'x' } }, spec })],
  }));
  const claims = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return [
    ...pods,
    {
      name: 'a web application',
      objects: [
        make('', 'v1', 'ServiceAccount', 'web', { automountServiceAccountToken: false }),
        make('', 'v1', 'ConfigMap', 'web', { data: { 'a.conf': 'x=1\n' }, immutable: true }),
        make('', 'v1', 'Secret', 'web', { data: { key: 'dmFsdWU=' }, type: 'Opaque', immutable: true }),
        make('apps', 'v1', 'Deployment', 'web', {
          spec: {
            replicas: 2,
            selector,
            template: template({ ...PODS['sidecars'], affinity }),
            progressDeadlineSeconds: 60,
          },
        }),
        make('', 'v1', 'Service', 'web', {
          spec: {
            ...{ selector: labels, trafficDistribution: 'PreferSameZone', internalTrafficPolicy: 'Local' },
            ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'example.com/x' }],
          },
        }),
        make('policy', 'v1', 'PodDisruptionBudget', 'web', {
          spec: { minAvailable: 1, selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
        }),
        make('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'web', {
          spec: {
            scaleTargetRef: { apiVersion: naming.apiVersion('apps', 'v1'), kind: 'Deployment', name: 'web' },
            ...{ minReplicas: 2, maxReplicas: 5 },
            metrics: [
              {
                type: 'ContainerResource',
                containerResource: {
                  ...{ name: 'cpu', container: 'web' },
                  target: { type: 'Utilization', averageUtilization: 50 },
                },
              },
            ],
            behavior: { scaleDown: { tolerance: '50m', stabilizationWindowSeconds: 60 } },
          },
        }),
        make('networking', 'v1', 'NetworkPolicy', 'web', {
          spec: {
            ...{ podSelector: selector, policyTypes: ['Ingress'] },
            ingress: [{ ports: [{ protocol: 'TCP', port: 80, endPort: 90 }] }],
          },
        }),
      ],
    },
    {
      name: 'a database',
      objects: [
        make('apps', 'v1', 'StatefulSet', 'db', {
          spec: {
            ...{ serviceName: 'db', replicas: 3, selector, ordinals: { start: 1 }, minReadySeconds: 5 },
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
            template: template(),
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claims }],
          },
        }),
        make('storage', 'v1', 'VolumeAttributesClass', 'fast', {
          ...{ driverName: 'disk.example.com', parameters: { iops: '1000' } },
        }),
        make('', 'v1', 'PersistentVolumeClaim', 'db', { spec: { ...claims, volumeAttributesClassName: 'fast' } }),
        make('storage', 'v1', 'CSIDriver', 'disk.example.com', {
          spec: { seLinuxMount: true, attachRequired: true, nodeAllocatableUpdatePeriodSeconds: 60 },
        }),
      ],
    },
    {
      name: 'jobs',
      objects: [
        make('batch', 'v1', 'Job', 'indexed', {
          spec: {
            ...{ completionMode: 'Indexed', completions: 4, parallelism: 2, backoffLimitPerIndex: 1 },
            ...{ maxFailedIndexes: 2, podReplacementPolicy: 'Failed', managedBy: 'example.com/queue', suspend: true },
            successPolicy: { rules: [{ succeededIndexes: '0', succeededCount: 1 }] },
            podFailurePolicy: {
              rules: [{ action: 'FailIndex', onExitCodes: { containerName: 'web', operator: 'In', values: [42] } }],
            },
            template: template({ containers: [web], restartPolicy: 'Never' }),
          },
        }),
        make('batch', 'v1', 'CronJob', 'nightly', {
          spec: {
            ...{ schedule: '0 3 * * *', timeZone: 'Etc/UTC', concurrencyPolicy: 'Forbid' },
            jobTemplate: { spec: { template: template({ containers: [web], restartPolicy: 'OnFailure' }) } },
          },
        }),
      ],
    },
    {
      name: 'agents of nodes',
      objects: [
        make('apps', 'v1', 'DaemonSet', 'agent', {
          spec: {
            ...{ selector, template: template() },
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          },
        }),
        make('scheduling', 'v1', 'PriorityClass', 'agents', { value: 1000, preemptionPolicy: 'Never' }),
        make('node', 'v1', 'RuntimeClass', 'sandboxed', { handler: 'sandbox', overhead: { podFixed: { cpu: '10m' } } }),
      ],
    },
    {
      name: 'devices and networks',
      objects: [
        make('resource', 'v1', 'DeviceClass', 'gpu.example.com', {
          spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
        }),
        make('resource', 'v1', 'ResourceClaimTemplate', 'gpu', {
          spec: {
            spec: {
              devices: {
                requests: [
                  { name: 'any', firstAvailable: [{ name: 'one', deviceClassName: 'gpu.example.com', count: 1 }] },
                ],
              },
            },
          },
        }),
        make('networking', 'v1', 'ServiceCIDR', 'more', { spec: { cidrs: ['10.200.0.0/24'] } }),
        make('discovery', 'v1', 'EndpointSlice', 'outside', {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['192.0.2.1'], hints: { forZones: [{ name: 'a' }] }, conditions: { ready: true } }],
          ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
        }),
      ],
    },
    {
      name: 'rights and priorities',
      objects: [
        make('rbac.authorization', 'v1', 'ClusterRole', 'web-viewer', {
          rules: [{ apiGroups: ['bundles.example.com'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
        }),
        make('flowcontrol.apiserver', 'v1', 'PriorityLevelConfiguration', 'web', {
          spec: {
            type: 'Limited',
            limited: {
              ...{ nominalConcurrencyShares: 5, lendablePercent: 50, borrowingLimitPercent: 10 },
              limitResponse: { type: 'Reject' },
            },
          },
        }),
        make('coordination', 'v1', 'Lease', 'web', {
          spec: { holderIdentity: 'a', leaseDurationSeconds: 10 },
        }),
      ],
    },
  ];
}
