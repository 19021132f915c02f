import assert from 'node:assert/strict';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import { kindRules } from './index.ts';
import { KindTester } from './testing/kind-tester.ts';

const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });

/** The rules of a kind in a release, without a server. */
function tester([identity, served, kind]: Kind, name: ReleaseName): KindTester<ApiObject> {
  const release = releaseOf(name);
  const rules = kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 1 }).get(identity)!;
  return new KindTester(rules, served, kind, {}, release);
}

type Kind = readonly [identity: string, served: string, kind: string];
const AUTOSCALER: Kind = ['autoscaling/horizontalpodautoscalers', 'autoscaling.v2', 'HorizontalPodAutoscaler'];
const CIDR: Kind = ['networking/servicecidrs', 'networking.v1', 'ServiceCIDR'];
const CLASS: Kind = ['storage/volumeattributesclasses', 'storage.v1', 'VolumeAttributesClass'];
const LEVEL: Kind = [
  'flowcontrol.apiserver/prioritylevelconfigurations',
  'flowcontrol.apiserver.v1',
  'PriorityLevelConfiguration',
];
const ROLE: Kind = ['rbac.authorization/roles', 'rbac.authorization.v1', 'Role'];
const RUNTIME: Kind = ['node/runtimeclasses', 'node.v1', 'RuntimeClass'];
const STORAGE: Kind = ['storage/storageclasses', 'storage.v1', 'StorageClass'];
const ATTACHMENT: Kind = ['storage/volumeattachments', 'storage.v1', 'VolumeAttachment'];
const SLICE: Kind = ['discovery/endpointslices', 'discovery.v1', 'EndpointSlice'];
const ADDRESS: Kind = ['networking/ipaddresses', 'networking.v1', 'IPAddress'];
const DEVICES: Kind = ['resource/resourceclaims', 'resource.v1', 'ResourceClaim'];
const REQUEST: Kind = ['certificates/podcertificaterequests', 'certificates.v1', 'PodCertificateRequest'];
const SET: Kind = ['apps/statefulsets', 'apps.v1', 'StatefulSet'];

const metric = (name: string, container: string) => ({
  spec: {
    maxReplicas: 2,
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    metrics: [
      {
        type: 'ContainerResource',
        containerResource: { name, container, target: { type: 'Utilization', averageUtilization: 5 } },
      },
    ],
  },
});
const cidrs = (...list: string[]) => ({ spec: { cidrs: list } });
const ofContainer = 'spec.metrics[0].containerResource';

describe('errors of new objects in later releases', () => {
  const rows: readonly (readonly [
    what: string,
    kind: Kind,
    release: ReleaseName,
    body: object,
    errors: readonly string[],
  ])[] = [
    [
      'a certificate request without a key',
      REQUEST,
      '1.37',
      {
        spec: {
          signerName: 'example.com/s',
          podName: 'p',
          podUID: 'u',
          serviceAccountName: 'a',
          serviceAccountUID: 'v',
          nodeName: 'n',
          nodeUID: 'w',
        },
      },
      ['spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'],
    ],
    ['a container resource', AUTOSCALER, '1.37', metric('cpu', 'c'), []],
    ['an extended resource', AUTOSCALER, '1.37', metric('example.com/gpu', 'c'), []],
    [
      'a resource that containers do not have',
      AUTOSCALER,
      '1.37',
      metric('pods', 'c'),
      [`${ofContainer}.name: Invalid value: "pods": must be a standard resource for containers`],
    ],
    [
      'a container that cannot be',
      AUTOSCALER,
      '1.37',
      metric('cpu', 'C'),
      [
        `${ofContainer}.container: Invalid value: "C": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'ranges of one family',
      CIDR,
      '1.37',
      cidrs('10.0.0.1/24', '10.1.0.0/24'),
      [
        'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
        'spec.cidrs: Invalid value: ["10.0.0.1/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    ],
    [
      'a level without a type',
      LEVEL,
      '1.36',
      { metadata: { name: 'a' }, spec: {} },
      ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"'],
    ],
    ['a level without a type', LEVEL, '1.37', { metadata: { name: 'a' }, spec: {} }, ['spec.type: Required value']],
    [
      'a rule without verbs',
      ROLE,
      '1.36',
      { rules: [{ apiGroups: [''] }] },
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      'a rule without verbs',
      ROLE,
      '1.37',
      { rules: [{ apiGroups: [''] }] },
      [
        'rules[0].resources: Required value: resource rules must supply at least one resource',
        'rules[0].verbs: Required value',
      ],
    ],
    ['a class without a runtime', RUNTIME, '1.37', { handler: '' }, ['handler: Required value']],
    [
      'a slice without a type of addresses',
      SLICE,
      '1.37',
      { endpoints: [{ addresses: [] }] },
      ['addressType: Required value', 'endpoints[0].addresses: Required value'],
    ],
    [
      'an attachment without an attacher',
      ATTACHMENT,
      '1.37',
      { spec: { attacher: '', nodeName: 'n', source: {} } },
      [
        'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
        'spec.attacher: Required value',
      ],
    ],
    [
      'a limited level with the parts of an exempt one',
      LEVEL,
      '1.36',
      { metadata: { name: 'a' }, spec: { type: 'Limited', exempt: {} } },
      [
        'spec.exempt: Forbidden: must be nil if the type is Limited',
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
    ],
    [
      'a limited level with the parts of an exempt one',
      LEVEL,
      '1.37',
      { metadata: { name: 'a' }, spec: { type: 'Limited', exempt: {} } },
      ['spec.exempt: Forbidden', 'spec.limited: Required value'],
    ],
    [
      'shares of an exempt level',
      LEVEL,
      '1.37',
      { metadata: { name: 'a' }, spec: { type: 'Exempt', exempt: { lendablePercent: 101 } } },
      [
        `spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`,
        'spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    ],
  ];
  for (const [what, kind, release, body, errors] of rows)
    it(`of ${what} in ${release}`, () => assert.deepEqual(tester(kind, release).errors(body), errors));
});

const selector = { matchLabels: { a: 'b' } };
const claim = (storage: string) => ({
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});
const set = (...volumeClaimTemplates: object[]) => ({
  spec: {
    ...{ selector, serviceName: 's', volumeClaimTemplates },
    template: {
      metadata: { labels: selector.matchLabels },
      spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
    },
  },
});

describe('errors of changed objects in later releases', () => {
  const rows: readonly (readonly [
    what: string,
    kind: Kind,
    release: ReleaseName,
    old: object,
    body: object,
    errors: readonly RegExp[],
  ])[] = [
    ['another range', CIDR, '1.37', cidrs('10.0.0.0/24'), cidrs('10.1.0.0/24'), [/^spec\.cidrs\[0\]: .*immutable$/]],
    ['a second range', CIDR, '1.37', cidrs('10.0.0.0/24'), cidrs('10.0.0.0/24', 'fd00::/112'), []],
    [
      'another first range beside a second',
      CIDR,
      '1.37',
      cidrs('10.0.0.0/24'),
      cidrs('10.1.0.0/24', '10.2.0.0/24'),
      [/^spec\.cidrs\[0\]: .*immutable$/, /^spec\.cidrs: .*no more than one IP/],
    ],
    ['no range', CIDR, '1.37', cidrs('10.0.0.0/24'), cidrs(), [/^spec\.cidrs: Invalid value: .*immutable$/]],
    [
      'another driver that is none',
      CLASS,
      '1.37',
      { driverName: 'd', parameters: { a: 'b' } },
      { driverName: '', parameters: { a: 'b' } },
      [/^driverName: Forbidden: updates to driverName are forbidden\.$/, /^driverName: Required value$/],
    ],
    [
      'another runtime',
      RUNTIME,
      '1.37',
      { handler: 'a' },
      { handler: 'b' },
      [/^handler: Invalid value: null: field is immutable$/],
    ],
    [
      'another provisioner',
      STORAGE,
      '1.36',
      { provisioner: 'a', volumeBindingMode: 'Immediate' },
      { provisioner: 'b', volumeBindingMode: 'Immediate', parameters: { a: 'b' } },
      [/^parameters: Forbidden: updates to parameters/, /^provisioner: Forbidden: updates to provisioner/],
    ],
    [
      'another provisioner',
      STORAGE,
      '1.37',
      { provisioner: 'a', volumeBindingMode: 'Immediate' },
      { provisioner: 'b', volumeBindingMode: 'WaitForFirstConsumer', parameters: { a: 'b' } },
      [
        /^provisioner: Invalid value: null: field is immutable$/,
        /^parameters: Invalid value: null: field is immutable$/,
        /^volumeBindingMode: Invalid value: null: field is immutable$/,
      ],
    ],
    [
      'an attachment to another node',
      ATTACHMENT,
      '1.37',
      { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
      { spec: { attacher: 'a', nodeName: 'm', source: { persistentVolumeName: 'p' } } },
      [/^spec: Invalid value: null: field is immutable$/],
    ],
    [
      'addresses of another type',
      SLICE,
      '1.37',
      { addressType: 'IPv4', endpoints: [] },
      { addressType: 'IPv6', endpoints: [] },
      [/^addressType: Invalid value: null: field is immutable$/],
    ],
    [
      'an address of another parent',
      ADDRESS,
      '1.37',
      { metadata: { name: '10.0.0.1' }, spec: { parentRef: { resource: 'services', name: 'a' } } },
      { metadata: { name: '10.0.0.1' }, spec: { parentRef: { resource: 'services', name: 'b' } } },
      [/^spec\.parentRef: Invalid value: null: field is immutable$/],
    ],
    [
      'a claim of other devices',
      DEVICES,
      '1.37',
      { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'a' } }] } } },
      { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'b' } }] } } },
      [/^spec: Invalid value: null: field is immutable$/],
    ],
    [
      'claims that no new set may have',
      SET,
      '1.37',
      set(claim('1Gi')),
      set({ metadata: { name: 'v' }, spec: {} }),
      [/^spec\.volumeClaimTemplates: Invalid value: .*field is immutable$/],
    ],
    [
      'a volume that the pods of a set do not have',
      SET,
      '1.37',
      set(claim('1Gi')),
      set(),
      [/volumeMounts\[0\]\.name: Not found: "v"$/, /^spec\.volumeClaimTemplates: .*immutable$/],
    ],
    ['a set that had errors before', SET, '1.37', set(), { spec: { ...set().spec, replicas: 2 } }, []],
  ];
  for (const [what, kind, release, old, body, errors] of rows)
    it(`to ${what} in ${release}`, () => {
      const found = tester(kind, release).updateErrors(old, body);
      assert.equal(found.length, errors.length, found.join('\n'));
      found.forEach((text, i) => {
        assert.match(text, errors[i]!);
      });
    });
});
