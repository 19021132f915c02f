import type { JsonObject } from '#base/json/json-value.ts';
import { validObjects } from './valid-objects.ts';

/** By message, the parts of an object that rules require before they check the rest. */
export const parts: Readonly<Record<string, JsonObject>> = {
  'admissionregistration.v1.AuditAnnotation': { key: 'k', valueExpression: "'a'" },
  'admissionregistration.v1.MatchCondition': { name: 'm', expression: 'true' },
  'admissionregistration.v1.Variable': { name: 'v', expression: 'true' },
  'autoscaling.v2.HPAScalingPolicy': { type: 'Pods', value: 1, periodSeconds: 15 },
  'autoscaling.v2beta2.HPAScalingPolicy': { type: 'Pods', value: 1, periodSeconds: 15 },
  'autoscaling.v2.MetricTarget': { type: 'Value', value: '1' },
  'batch.v1.SuccessPolicy': { rules: [{ succeededCount: 1 }] },
  'core.v1.AppArmorProfile': { type: 'Localhost', localhostProfile: 'p' },
  'core.v1.AzureDiskVolumeSource': { diskName: 'd', diskURI: '/subscriptions/s', kind: 'Managed', cachingMode: 'None' },
  'core.v1.ClusterTrustBundleProjection': { signerName: 'example.com/s', path: 'p' },
  'core.v1.FlexVolumeSource': { driver: 'a/d' },
  'core.v1.HostPathVolumeSource': { path: '/x' },
  'core.v1.ISCSIVolumeSource': { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2020-01.a:b' },
  'core.v1.LocalVolumeSource': { path: '/x' },
  'core.v1.NFSVolumeSource': { server: 's', path: '/x' },
  'core.v1.NodeSelectorRequirement': { key: 'k', operator: 'Exists' },
  'core.v1.PersistentVolumeClaimSpec': {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  },
  'core.v1.PortworxVolumeSource': { volumeID: 'v' },
  'core.v1.ScopedResourceSelectorRequirement': { scopeName: 'PriorityClass', operator: 'Exists' },
  'core.v1.Taint': { key: 'k', effect: 'NoSchedule' },
  'core.v1.Toleration': { key: 'k', operator: 'Exists' },
  'core.v1.TopologySpreadConstraint': { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' },
  'core.v1.VolumeDevice': { name: 'v', devicePath: '/d' },
  'core.v1.VsphereVirtualDiskVolumeSource': { volumePath: '/v' },
  'meta.v1.LabelSelectorRequirement': { key: 'k', operator: 'Exists' },
  'networking.v1.IPBlock': { cidr: '10.0.0.0/8' },
  'flowcontrol.apiserver.v1.NonResourcePolicyRule': { verbs: ['*'], nonResourceURLs: ['*'] },
  'flowcontrol.apiserver.v1beta1.NonResourcePolicyRule': { verbs: ['*'], nonResourceURLs: ['*'] },
  'flowcontrol.apiserver.v1beta2.NonResourcePolicyRule': { verbs: ['*'], nonResourceURLs: ['*'] },
  'resource.v1.CELDeviceSelector': { expression: 'true' },
  'resource.v1.DeviceTaintSelector': { driver: 'd', pool: 'p', device: 'e' },
};

const metric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const indexed = {
  completions: 100_000,
  parallelism: 1,
  completionMode: 'Indexed',
  backoffLimitPerIndex: 1,
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
};
const fileKeyRef = { volumeName: 'v', path: 'p', key: 'k' };
const claimed = { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'c' }] }] } };
const slice = { driver: 'd.example.com', pool: { name: 'p', resourceSliceCount: 1 } };
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

/** Valid objects of kinds that show a fact which the first object does not show, by message. */
export const moreObjects: Readonly<Record<string, readonly JsonObject[]>> = {
  'autoscaling.v2.HorizontalPodAutoscaler': [{ spec: { scaleTargetRef, maxReplicas: 3, metrics: [metric] } }],
  'batch.v1.CronJob': [{ spec: { schedule: '@daily', jobTemplate: { spec: indexed } } }],
  'batch.v1.Job': [{ spec: indexed }],
  'certificates.v1.ClusterTrustBundle': [
    { metadata: { name: 'example.com:s:x' }, spec: { signerName: 'example.com/s', trustBundle: 'not looked at' } },
  ],
  'core.v1.Pod': [
    { spec: { hostUsers: false, containers: [{ name: 'c', image: 'i' }] } },
    {
      spec: {
        containers: [{ name: 'c', image: 'i', env: [{ name: 'A', valueFrom: { fileKeyRef } }] }],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    },
  ],
  'core.v1.ResourceQuota': [{ spec: { hard: { pods: '5' } } }],
  'core.v1.Service': [{ spec: { type: 'LoadBalancer', selector: { app: 'x' }, ports: [{ port: 80 }] } }],
  'events.v1.Event': [{ ...validObjects['events.v1.Event'], note: 'n', related: { kind: 'Node', name: 'n' } }],
  'flowcontrol.apiserver.v1beta2.PriorityLevelConfiguration': [
    { metadata: { name: 'exempt' }, spec: { type: 'Exempt' } },
  ],
  'networking.v1.NetworkPolicy': [{ spec: { podSelector: {}, ingress: [{ ports: [{ port: 1 }] }] } }],
  'resource.v1.ResourceClaim': [{ spec: claimed }],
  'resource.v1.ResourceClaimTemplate': [{ spec: { spec: claimed } }],
  'resource.v1.ResourceSlice': [
    { spec: { ...slice, allNodes: true } },
    {
      spec: {
        ...slice,
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
        },
      },
    },
  ],
  'storage.v1.StorageClass': [{ provisioner: 'p', parameters: { a: '1' } }],
};
