import assert from 'node:assert/strict';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import type { PluginFactory } from '../plugin.ts';
import { naming, podWith, type Trial, trying } from '../testing/try-plugin.ts';
import { alwaysDeny } from './always-deny.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { certificateApproval } from './certificate-approval.ts';
import { certificateSigning } from './certificate-signing.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { persistentVolumeLabel } from './persistent-volume-label.ts';
import { securityContextDeny } from './security-context-deny.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const update = { operation: 'UPDATE' } as const;
const service = (...externalIPs: string[]) => ({ metadata: { name: 's' }, spec: { externalIPs } });
const services = { resource: 'services' };
const claim = (storage: string, storageClassName: string, phase = 'Bound') => ({
  metadata: { name: 'c' },
  spec: { storageClassName, resources: { requests: { storage } } },
  status: { phase },
});
const claims = { resource: 'persistentvolumeclaims', ...update };
const antiAffinity = (topologyKey: string) =>
  podWith({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
const signing = { group: 'certificates', resource: 'certificatesigningrequests', ...update };
const request = (status: object = {}) => ({ metadata: { name: 'r' }, spec: { signerName: 'a.b/c' }, status });
const clientSigner = naming.key('apiserver-client');
const asks = (subject: Parameters<typeof makeRequest>[0]['subject'], signerName = clientSigner) => ({
  ...signing,
  operation: 'CREATE' as const,
  object: { metadata: { name: 'r' }, spec: { signerName, request: makeRequest({ subject }) } },
});
const objects = {
  'storage/storageclasses': [
    { metadata: { name: 'grows' }, allowVolumeExpansion: true },
    { metadata: { name: 'fixed' } },
  ],
};
const mayByDomain = async ({ name, verb }: { name: string; verb: string }) => ({
  allowed: name === 'a.b/*' && verb === 'sign',
  reason: '',
});
const around = { objects, access: mayByDomain };
const tooFixed =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const refusals: readonly [string, PluginFactory, Trial, string][] = [
  ['everything', alwaysDeny, { operation: 'DELETE', name: 'p' }, 'admission control is denying all modifications'],
  [
    'new external addresses',
    denyServiceExternalIps,
    { ...services, object: service('1.1.1.1') },
    'Use of external IPs is denied by admission control.',
  ],
  ['no external addresses', denyServiceExternalIps, { ...services, object: service() }, ''],
  [
    'fewer external addresses',
    denyServiceExternalIps,
    { ...services, ...update, object: service('1.1.1.1'), oldObject: service('1.1.1.1', '2.2.2.2') },
    '',
  ],
  [
    'another external address',
    denyServiceExternalIps,
    { ...services, ...update, object: service('2.2.2.2'), oldObject: service('1.1.1.1') },
    'Use of external IPs is denied by admission control.',
  ],
  [
    'a larger claim',
    persistentVolumeClaimResize,
    { ...claims, object: claim('2Gi', 'grows'), oldObject: claim('1Gi', 'grows') },
    '',
  ],
  [
    'a larger claim that is not bound',
    persistentVolumeClaimResize,
    { ...claims, object: claim('2Gi', 'grows'), oldObject: claim('1Gi', 'grows', 'Pending') },
    'Only bound persistent volume claims can be expanded',
  ],
  [
    'a larger claim of a class that does not allow expansion',
    persistentVolumeClaimResize,
    { ...claims, object: claim('2Gi', 'fixed'), oldObject: claim('1Gi', 'fixed') },
    tooFixed,
  ],
  [
    'a larger claim without a class',
    persistentVolumeClaimResize,
    { ...claims, object: claim('2Gi', ''), oldObject: claim('1Gi', '') },
    tooFixed,
  ],
  ['anti-affinity on hosts', limitPodHardAntiAffinityTopology, { object: antiAffinity(naming.key('hostname')) }, ''],
  [
    'anti-affinity on zones',
    limitPodHardAntiAffinityTopology,
    { object: antiAffinity('zone') },
    `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key ${naming.key('hostname')} is allowed`,
  ],
  [
    'runAsUser of the pod',
    securityContextDeny,
    { object: podWith({ securityContext: { runAsUser: 0, fsGroup: 1 } }) },
    'pod.Spec.SecurityContext.RunAsUser is forbidden',
  ],
  [
    'runAsUser of a container',
    securityContextDeny,
    { object: podWith({ initContainers: [{ name: 'i', securityContext: { runAsUser: 0 } }] }) },
    'SecurityContext.RunAsUser is forbidden',
  ],
  [
    'an approval without permission',
    certificateApproval,
    { ...signing, subresource: 'approval', object: request(), oldObject: request() },
    'user not permitted to approve requests with signerName "a.b/c"',
  ],
  [
    'a signature with permission for the domain of the signer',
    certificateSigning,
    { ...signing, subresource: 'status', object: request({ certificate: 'x' }), oldObject: request() },
    '',
  ],
  [
    'a status without changes',
    certificateSigning,
    { ...signing, subresource: 'status', object: request(), oldObject: request() },
    '',
  ],
  ['a client certificate', certificateSubjectRestriction, asks([['O', 'dev']]), ''],
  [
    'a client certificate in the group system:masters',
    certificateSubjectRestriction,
    asks([
      ['CN', 'me'],
      ['O', 'dev'],
      ['O', 'system:masters'],
    ]),
    `use of ${clientSigner} signer with system:masters group is not allowed`,
  ],
  ['system:masters with another signer', certificateSubjectRestriction, asks([['O', 'system:masters']], 'a.b/c'), ''],
  [
    'an empty certificate request',
    certificateSubjectRestriction,
    { ...asks([]), object: { metadata: { name: 'r' }, spec: { signerName: clientSigner, request: '' } } },
    'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST',
  ],
];

describe('validating admission plug-ins', () => {
  for (const [what, make, trial, expected] of refusals) {
    it(`${make.name} ${expected === '' ? 'admits' : 'refuses'} ${what}`, async () => {
      assert.equal((await trying(make, around)(trial)).refused, expected);
    });
  }
});

const image = (name: string, imagePullPolicy?: string) => ({ name: 'c', image: name, imagePullPolicy });
const volume = (terms: object[], labels?: object) => ({
  metadata: { name: 'v', ...(labels && { labels }) },
  spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
});
const zones = (...values: string[]) => ({
  matchExpressions: [{ key: naming.key('topology/zone'), operator: 'In', values }],
});
const protection = naming.key('pvc-protection');
const notReady = { key: naming.key('node/not-ready'), effect: 'NoSchedule' };
const gpu = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' };

/** plug-in, request, path of the result, result */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of any kind
const changes: readonly [string, PluginFactory, Trial, (object: any) => unknown, unknown][] = [
  [
    'sets Always for every image',
    alwaysPullImages,
    { object: podWith({ containers: [image('a', 'Never')] }) },
    (pod) => pod.spec.containers[0].imagePullPolicy,
    'Always',
  ],
  [
    'does not change images of an update that were there before',
    alwaysPullImages,
    {
      ...update,
      object: podWith({ containers: [image('a', 'Never')] }),
      oldObject: podWith({ containers: [image('a')] }),
    },
    (pod) => pod.spec.containers[0].imagePullPolicy,
    'Never',
  ],
  [
    'adds the finalizer to claims',
    storageObjectInUseProtection,
    { resource: 'persistentvolumeclaims', object: { metadata: { name: 'c' } } },
    (c) => c.metadata.finalizers,
    [protection],
  ],
  [
    'does not add the finalizer to claims twice',
    storageObjectInUseProtection,
    { resource: 'persistentvolumeclaims', object: { metadata: { finalizers: [protection] } } },
    (c) => c.metadata.finalizers,
    [protection],
  ],
  [
    'adds the not-ready taint to nodes',
    taintNodesByCondition,
    { resource: 'nodes', object: { metadata: { name: 'n' } } },
    (node) => node.spec.taints,
    [notReady],
  ],
  [
    'does not add the taint to nodes twice',
    taintNodesByCondition,
    { resource: 'nodes', object: { metadata: { name: 'n' }, spec: { taints: [notReady] } } },
    (node) => node.spec.taints,
    [notReady],
  ],
  [
    'adds tolerations for extended resources',
    extendedResourceToleration,
    { object: podWith({ containers: [{ name: 'c', resources: { requests: { cpu: '1', 'example.com/gpu': '1' } } }] }) },
    (pod) => pod.spec.tolerations,
    [gpu],
  ],
  [
    'adds a label of all zones of a volume',
    persistentVolumeLabel,
    { resource: 'persistentvolumes', object: volume([zones('b', 'a'), zones('a')]) },
    (v) => v.metadata.labels,
    { [naming.key('topology/zone')]: 'a__b' },
  ],
  [
    'adds no label if a term names no zone',
    persistentVolumeLabel,
    { resource: 'persistentvolumes', object: volume([zones('a'), {}]) },
    (v) => v.metadata.labels,
    undefined,
  ],
  [
    'does not change an existing label',
    persistentVolumeLabel,
    { resource: 'persistentvolumes', object: volume([zones('a')], { [naming.key('topology/zone')]: 'x' }) },
    (v) => v.metadata.labels,
    { [naming.key('topology/zone')]: 'x' },
  ],
];

describe('mutating admission plug-ins', () => {
  for (const [what, make, trial, look, expected] of changes) {
    it(`${make.name}: ${what}`, async () => {
      const { object, refused } = await trying(make, around)(trial);
      assert.equal(refused, '');
      assert.deepEqual(look(object), expected);
    });
  }
});
