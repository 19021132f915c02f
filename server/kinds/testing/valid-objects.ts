import { makeAuthority } from '#base/x509/make-certificate.ts';
import { makeRequest } from '#base/x509/testing/make-request.ts';

/** The base64 content of a PEM text that is itself in base64. */
function derOf(base64: string): string {
  const pem = Buffer.from(base64, 'base64').toString('latin1');
  return pem.replace(/-----[^-]*-----|\s/g, '');
}

const labels = { app: 'x' };
const selector = { matchLabels: labels };
const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'i:1',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: '1' }],
      resources: { limits: { cpu: '1', memory: '1Gi' } },
      livenessProbe: { httpGet: { port: 80 } },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    },
  ],
  volumes: [{ name: 'v', configMap: { name: 'm' } }],
};
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };
const anything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
const webhook = {
  name: 'a.example.com',
  clientConfig: { service: { namespace: 'n', name: 's' } },
  rules: [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const flowSchema = {
  spec: {
    priorityLevelConfiguration: { name: 'p' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'g' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
      },
    ],
  },
};
const priorityLevel = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } };
const roleRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const subjects = [{ kind: 'User', name: 'jane' }];
const binding = (kind: string) => ({ subjects, roleRef: { kind, name: 'r' } });
const claim = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
const storageCapacity = { storageClassName: 's', capacity: '1Gi', nodeTopology: selector };

/** A valid object of each kind that has rules, without kind and apiVersion, by message. */
export const validObjects: Readonly<Record<string, object>> = {
  'apiextensions.v1.CustomResourceDefinition': {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'admissionregistration.v1.MutatingWebhookConfiguration': { webhooks: [webhook] },
  'admissionregistration.v1.MutatingAdmissionPolicy': {
    spec: {
      matchConstraints: { resourceRules: [{ ...anything, operations: ['CREATE'] }] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      reinvocationPolicy: 'Never',
    },
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBinding': { spec: { policyName: 'p' } },
  'admissionregistration.v1.ValidatingAdmissionPolicy': {
    spec: { matchConstraints: { resourceRules: [anything] }, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  },
  'admissionregistration.v1.ValidatingWebhookConfiguration': { webhooks: [webhook] },
  'apiregistration.v1.APIService': {
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
  },
  'apps.v1.ControllerRevision': { data: { any: 'thing' }, revision: 1 },
  'apps.v1.DaemonSet': { spec: { selector, template } },
  'apps.v1.Deployment': { spec: { selector, template } },
  'apps.v1.ReplicaSet': { spec: { selector, template } },
  'apps.v1.StatefulSet': {
    spec: {
      selector,
      template,
      serviceName: 's',
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  },
  'autoscaling.v1.HorizontalPodAutoscaler': { spec: { scaleTargetRef, maxReplicas: 3 } },
  'autoscaling.v2.HorizontalPodAutoscaler': { spec: { scaleTargetRef, maxReplicas: 3 } },
  'autoscaling.v2beta2.HorizontalPodAutoscaler': { spec: { scaleTargetRef, maxReplicas: 3 } },
  'batch.v1.CronJob': { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
  'batch.v1.Job': { spec: { template: jobTemplate } },
  'certificates.v1.ClusterTrustBundle': { spec: { trustBundle: makeAuthority('a').pem } },
  'certificates.v1.PodCertificateRequest': {
    spec: {
      signerName: 'example.com/s',
      podName: 'p',
      podUID: 'u',
      serviceAccountName: 'a',
      serviceAccountUID: 'v',
      nodeName: 'n',
      nodeUID: 'w',
      stubPKCS10Request: derOf(makeRequest({ subject: [] })),
    },
  },
  'certificates.v1.CertificateSigningRequest': {
    spec: {
      request: makeRequest({ subject: [] }),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  },
  'coordination.v1.Lease': { spec: { holderIdentity: 'me', leaseDurationSeconds: 10 } },
  'core.v1.ConfigMap': { data: { a: '1' }, binaryData: { b: 'AAE=' } },
  'core.v1.Endpoints': { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }] },
  'core.v1.Event': { metadata: { namespace: 'n' }, involvedObject: { namespace: 'n' } },
  'core.v1.LimitRange': { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } },
  'core.v1.Namespace': {},
  'core.v1.Node': { spec: { podCIDR: '10.1.0.0/24' }, status: { capacity: { cpu: '4' } } },
  'core.v1.PersistentVolume': {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  },
  'core.v1.PersistentVolumeClaim': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'core.v1.Pod': { spec: podSpec },
  'core.v1.PodTemplate': { template },
  'core.v1.ReplicationController': { spec: { selector: labels, template } },
  'core.v1.ResourceQuota': { spec: { hard: { pods: '5', 'requests.cpu': '1' }, scopes: ['NotTerminating'] } },
  'core.v1.Secret': { data: { a: 'AAE=' } },
  'core.v1.Service': { spec: { selector: labels, ports: [{ port: 80 }] } },
  'core.v1.ServiceAccount': {},
  'discovery.v1.EndpointSlice': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }],
    ports: [{ port: 80 }],
  },
  'events.v1.Event': {
    metadata: { namespace: 'n' },
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    regarding: { namespace: 'n' },
  },
  'flowcontrol.apiserver.v1.FlowSchema': flowSchema,
  'flowcontrol.apiserver.v1.PriorityLevelConfiguration': priorityLevel,
  'flowcontrol.apiserver.v1beta1.FlowSchema': flowSchema,
  'flowcontrol.apiserver.v1beta1.PriorityLevelConfiguration': priorityLevel,
  'flowcontrol.apiserver.v1beta2.FlowSchema': flowSchema,
  'flowcontrol.apiserver.v1beta2.PriorityLevelConfiguration': priorityLevel,
  'internal.apiserver.v1alpha1.StorageVersion': { metadata: { name: 'g.r' } },
  'networking.v1.IPAddress': {
    metadata: { name: '10.0.0.1' },
    spec: { parentRef: { resource: 'services', name: 's' } },
  },
  'networking.v1.ServiceCIDR': { spec: { cidrs: ['10.0.0.0/24'] } },
  'networking.v1.Ingress': { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  'networking.v1.IngressClass': { spec: { controller: 'example.com/c' } },
  'networking.v1.NetworkPolicy': { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
  'networking.v1alpha1.ClusterCIDR': { spec: { ipv4: '10.1.0.0/16', perNodeHostBits: 8 } },
  'node.v1.RuntimeClass': { handler: 'h' },
  'policy.v1.PodDisruptionBudget': { spec: { minAvailable: 1, selector } },
  'rbac.authorization.v1.ClusterRole': { rules: roleRules },
  'rbac.authorization.v1.ClusterRoleBinding': binding('ClusterRole'),
  'rbac.authorization.v1.Role': { rules: roleRules },
  'rbac.authorization.v1.RoleBinding': binding('Role'),
  'resource.v1.DeviceClass': { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  'resource.v1.DeviceTaintRule': { spec: { taint: { key: 'k', effect: 'NoSchedule' } } },
  'resource.v1.ResourceClaim': { spec: claim },
  'resource.v1.ResourceClaimTemplate': { spec: { spec: claim } },
  'resource.v1.ResourceSlice': {
    spec: {
      driver: 'd',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd', attributes: { model: { string: 'm' } } }],
    },
  },
  'scheduling.v1.PriorityClass': { value: 5 },
  'storage.v1.CSIDriver': {},
  'storage.v1.CSINode': { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } },
  'storage.v1.CSIStorageCapacity': storageCapacity,
  'storage.v1beta1.CSIStorageCapacity': storageCapacity,
  'storage.v1.StorageClass': { provisioner: 'p' },
  'storage.v1.VolumeAttributesClass': { driverName: 'd', parameters: { iops: '1' } },
  'storagemigration.v1.StorageVersionMigration': { spec: { resource: { resource: 'pods' } } },
  'storage.v1.VolumeAttachment': { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
};
